import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { toReason } from "./old-tables.ts";
import { listRecords, type RecordShape } from "./records.ts";

// Calls the documented read operations of both systems, as their front ends do, and compares the items in the
// responses.

export interface Side {
  readonly base: string;
  readonly token: string;
}

export interface SideBySideOptions {
  readonly service: string;
  readonly there: Side;
  readonly here: Side;
  readonly say: (line: string) => void;
}

type Item = Readonly<Record<string, unknown>>;

const pageSize = 100;
const timeoutMs = 60_000;
const mostShown = 50;
/** The number of records of a list that are also read one by one. */
const mostAsked = 20;
/** The interface documents omit this path prefix. */
const unnamed = "/disease-command";

interface Habit {
  readonly key: readonly string[];
  /** Fields that differ intentionally, as decision 51 explains. */
  readonly onPurpose?: readonly string[];
  readonly hasOwn?: true;
}
const byId: Habit = { key: ["id"] };
const habits: Readonly<Record<string, Habit>> = {
  administrators: { key: ["userName"], onPurpose: ["id", "password", "salt"], hasOwn: true },
  consumption: { key: ["categoryName"], onPurpose: ["id"], hasOwn: true },
  monthlyRows: { key: ["userId", "workNum", "workName", "groupOfCheck"] },
};
// Matches addresses of uploads, which differ between the two systems and may occur in any text. If the address is the
// whole text or an item of a list, the file's name may have spaces.
const addresses = /(?<=[",])[^",<>]*\.[a-z\d]{2,5}(?=[",])|(?:https?:\/\/|\/)?[^\s"'<>(),;|\\]+\.[a-z\d]{2,5}\b/gi;

/**
 * Returns whether all differences are intentional.
 * @throws {Error} if a system does not respond
 */
export async function compareSides(
  contracts: readonly ServiceContract[],
  options: SideBySideOptions,
): Promise<boolean> {
  const records = listRecords(contracts).filter(({ service }) => service === options.service);
  let isSame = true;
  for (const record of records) isSame = (await compareReads(record, options)) && isSame;
  return isSame;
}

async function compareReads(record: RecordShape, sides: SideBySideOptions): Promise<boolean> {
  const { there, here, say } = sides;
  const { key, onPurpose = [], hasOwn = false } = habits[record.name.slice(record.service.length + 1)] ?? byId;
  const keyOf = (item: Item): string => key.map((field) => String(item[field])).join(" ");
  const left = new Map<string, string>();
  for await (const item of readItems(there, toOldPath(record.url), record)) left.set(keyOf(item), JSON.stringify(item));
  const counts = { there: left.size, here: 0, same: 0, onPurpose: 0, differing: 0, onlyHere: 0 };
  const lines: string[] = [];
  const both: unknown[] = [];
  for await (const item of readItems(here, record.url, record)) {
    const old = left.get(keyOf(item));
    left.delete(keyOf(item));
    counts.here++;
    const fields = old === undefined ? [] : listDifferences(JSON.parse(old) as Item, item, onPurpose);
    const kind = old === undefined ? (hasOwn ? "onPurpose" : "onlyHere") : kindOf(fields);
    counts[kind]++;
    if (kind === "same" && both.length < mostAsked) both.push(item["id"]);
    if (kind === "onlyHere") lines.push(`${keyOf(item)}: only in Quintet`);
    if (kind === "differing") lines.push(`${keyOf(item)}: ${listUnmeant(fields)}`);
  }
  lines.push(...left.keys().map((known) => `${known}: only in the old system`));
  say(
    `${record.name}: ${counts.there} in the old system, ${counts.here} in Quintet; ${counts.same} identical, ${counts.onPurpose} with intended differences, ` +
      `${counts.differing} different, ${left.size} only in the old system, ${counts.onlyHere} only in Quintet`,
  );
  const { info } = record;
  const single = info === undefined ? [] : await compareEach(info, both, sides);
  if (info !== undefined) say(`${record.name}: ${both.length} read one by one, ${single.length} different`);
  lines.push(...single);
  for (const line of lines.slice(0, mostShown)) say(`  ${line}`);
  return lines.length === 0;
}

async function compareEach(
  info: string,
  ids: readonly unknown[],
  { there, here }: SideBySideOptions,
): Promise<string[]> {
  const lines: string[] = [];
  for (const id of ids) {
    const [old, ours] = await Promise.all(
      [there, here].map(async ({ base, token }, at) => {
        const path = at === 0 ? toOldPath(info) : info;
        return (await ask(new URL(base.replace(/\/$/, "") + path + String(id)), token)) as Item;
      }),
    );
    const fields = listUnmeant(listDifferences(old ?? {}, ours ?? {}, []));
    if (fields !== "") lines.push(`${info}${String(id)}: ${fields}`);
  }
  return lines;
}

const listUnmeant = (fields: readonly Difference[]): string =>
  fields
    .filter(({ isMeant }) => !isMeant)
    .map(({ field }) => field)
    .join(", ");

interface Difference {
  readonly field: string;
  readonly isMeant: boolean;
}
const kindOf = (fields: readonly Difference[]) =>
  fields.length === 0 ? "same" : fields.every(({ isMeant }) => isMeant) ? "onPurpose" : "differing";

const toOldPath = (path: string): string => (path.startsWith(unnamed) ? path.slice(unnamed.length) : path);

/** Lists only the names of the fields that differ, since values would show personal data on a terminal. */
const listDifferences = (old: Item, here: Item, onPurpose: readonly string[]): Difference[] =>
  Object.entries(old)
    .filter(([field, value]) => write(value) !== write(here[field]))
    .map(([field, value]) => ({
      field,
      isMeant: onPurpose.includes(field) || withoutAddresses(value) === withoutAddresses(here[field]),
    }));

const write = (value: unknown): string => JSON.stringify(value ?? "");
const withoutAddresses = (value: unknown): string => write(value).replaceAll(addresses, "");

async function* readItems({ base, token }: Side, path: string, { page }: RecordShape): AsyncGenerator<Item> {
  for (let at = 1; ; at++) {
    const url = new URL(base.replace(/\/$/, "") + path);
    if (page !== undefined) {
      url.searchParams.set(page, String(at));
      url.searchParams.set("pageSize", String(pageSize));
    }
    const data = await ask(url, token);
    const list = (Array.isArray(data) ? data : (data as { list?: unknown }).list) as Item[];
    if (!Array.isArray(list)) throw new Error(`${url.origin}${url.pathname} returned no list.`);
    yield* list;
    if (page === undefined || Array.isArray(data) || at >= Number((data as { totalPage?: unknown }).totalPage)) return;
  }
}

async function ask(url: URL, token: string): Promise<unknown> {
  const where = `${url.origin}${url.pathname}`;
  const headers = { admin_token: token, "admin-token": token };
  try {
    // Redirects are errors, since a redirect could send the token to another server.
    const answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
    const { success, code, data } = (await answer.json()) as { success?: unknown; code?: unknown; data?: unknown };
    if (!answer.ok || success !== true) throw new Error(`status ${answer.status}, code ${String(code)}`);
    return data ?? [];
  } catch (error) {
    throw new Error(`${where} cannot be read: ${toReason(error)}.`, { cause: error });
  }
}
