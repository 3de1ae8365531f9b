// A project may be registered twice under different names. Similarity is computed from the bigrams of the customers'
// and the projects' names. Rare bigrams weigh more, since common ones say little.

export interface Named {
  readonly customerName: string;
  readonly entryName: string;
}

/** The frequencies of common bigrams. A bigram that is not in the map has the frequency `rarest`. */
export type Shares = ReadonlyMap<string, number>;

/** Reports that are at least this similar are shown as possibly the same project. */
export const mark = 0.8;

const rarest = 1 / 10_000;

// These words are removed unless fewer than two characters remain, since a small table has no statistics from which the
// words would get a low weight.
const ofCustomers = /有限|责任|公司|大学|学院|学校|医院|中心|[省市县区镇]/g;
const ofProjects =
  /项目|工程|建设|改造|采购|升级|更新|系统|平台|设备|设施|服务|招标|公开|管理|[一二三四五六七八九十\d]+期|\d{4}年?/g;
const signs = /[\p{P}\p{S}\p{Z}\s]/gu;

function toCore(name: string, everybody: RegExp): ReadonlySet<string> {
  const plain = name.normalize("NFKC").toLowerCase().replaceAll(signs, "");
  const core = plain.replaceAll(everybody, "");
  return toPieces(core.length < 2 ? plain : core);
}

export function toPieces(text: string): ReadonlySet<string> {
  const letters = Array.from(text);
  return new Set(letters.length < 2 ? letters : letters.slice(1).map((letter, place) => `${letters[place]}${letter}`));
}

const weigh = (pieces: Iterable<string>, shares: Shares): number => {
  let sum = 0;
  for (const piece of pieces) sum -= Math.log(shares.get(piece) ?? rarest);
  return sum;
};

/**
 * The mean of two ratios: the weight of the shared bigrams divided by the mean weight of both names, and the weight of
 * the shared bigrams divided by the weight of the lighter name. The second ratio is 1 if one name contains the other.
 */
function compareNames(one: ReadonlySet<string>, other: ReadonlySet<string>, shares: Shares): number {
  const [whole, otherWhole] = [weigh(one, shares), weigh(other, shares)];
  if (whole === 0 || otherWhole === 0) return 0;
  const shared = weigh(one.intersection(other), shares);
  return shared / (whole + otherWhole) + shared / Math.min(whole, otherWhole) / 2;
}

/**
 * Returns a function that rates another report from 0 (nothing in common) to 1 (the same names). The rating is the
 * lower of two similarities: that of the customers' names and that of the projects' names.
 */
export function compareWith(report: Named, shares: Shares): (other: Named) => number {
  const customer = toCore(report.customerName, ofCustomers);
  const project = toCore(report.entryName, ofProjects);
  return ({ customerName, entryName }) =>
    Math.min(
      compareNames(customer, toCore(customerName, ofCustomers), shares),
      compareNames(project, toCore(entryName, ofProjects), shares),
    );
}

/**
 * Chooses the rarest bigrams for a search: the first three, and further ones as long as all chosen ones together match
 * at most about `mostFound` reports. Numbers are excluded, since phone numbers are in the same index.
 */
export function choosePieces(report: Named, shares: Shares, mostFound: number, reports: number): string[] {
  const names = [report.customerName, report.entryName].map((name) => name.normalize("NFKC").toLowerCase());
  const pieces = names.flatMap((name) =>
    [...toPieces(name)].filter((piece) => !/[\p{P}\p{S}\p{Z}\s]|^\d+$/u.test(piece)),
  );
  const byRarity = [...new Set(pieces)]
    .map((piece) => ({ piece, found: (shares.get(piece) ?? rarest) * reports }))
    .toSorted((one, other) => one.found - other.found);
  let found = 0;
  return byRarity
    .filter((one, place) => {
      found += one.found;
      return place < 3 || found <= mostFound;
    })
    .map(({ piece }) => piece);
}
