// How alike two reports are: one project, registered twice under names that differ. Compared are pairs of neighbouring characters
// of the customer's and the project's name, the rarer the heavier: what everybody writes says nothing.

export interface Named {
  readonly customerName: string;
  readonly entryName: string;
}

/** The share of reports that have a piece, of the pieces that many have; the others are rarer than all of these. */
export type Shares = ReadonlyMap<string, number>;

/** From here on two reports are taken for one project. */
export const mark = 0.8;

const rarest = 1 / 10_000;

// What is left out of the names, where something remains: a table that is small has no statistics of it.
const ofCustomers = /有限|责任|公司|大学|学院|学校|医院|中心|[省市县区镇]/g;
const ofProjects =
  /项目|工程|建设|改造|采购|升级|更新|系统|平台|设备|设施|服务|招标|公开|管理|[一二三四五六七八九十\d]+期|\d{4}年?/g;
const signs = /[\p{P}\p{S}\p{Z}\s]/gu;

/** The pieces of a name without signs, widths and what everybody writes. */
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

/** Half of what both have of all, half of what both have of the shorter name, which the longer one may hold whole. */
function compareNames(one: ReadonlySet<string>, other: ReadonlySet<string>, shares: Shares): number {
  const [whole, otherWhole] = [weigh(one, shares), weigh(other, shares)];
  if (whole === 0 || otherWhole === 0) return 0;
  const shared = weigh(one.intersection(other), shares);
  return shared / (whole + otherWhole) + shared / Math.min(whole, otherWhole) / 2;
}

/** Compares with one report: 0 for nothing in common, 1 for the same. The name that has less in common counts. */
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
 * The pieces by which reports like this one are looked for: the rarest, as many as about `mostFound` reports have, and at least three.
 * Pieces of digits alone are in every phone number, which the same index holds.
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
