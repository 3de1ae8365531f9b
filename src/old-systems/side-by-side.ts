import * as z from "zod";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { sharedProblems } from "#platform/contract/problem.ts";
import { toReason } from "./old-tables.ts";
import { type Ask, type DocumentedRead, listAsks, listReads, type Item } from "./reads.ts";
import { findShape, type Shape } from "./records.ts";

// Calls the documented read operations of both systems, as their front ends do, and compares the responses.

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

const pageSize = 100;
const timeoutMs = 60_000;
const mostShown = 50;
/** At most this many records of a list provide the parameters of other reads. */
const mostAsked = 20;

interface Habit {
  readonly key?: readonly string[];
  /** The reasons for intended differences, by field, as decision 51 explains. */
  readonly intended?: Readonly<Record<string, string>>;
  /** The reason why some items are only in Quintet. */
  readonly own?: string;
  /** The reason why Quintet shows the payable of another charging year. */
  readonly otherYear?: string;
}
const newIds = "accounts get new ids";
const fromStart = "Quintet has this record from the start";
const undocumented = "the field is not documented";
const moved = "addresses of uploads change";
const dues: Habit = { otherYear: "Quintet shows the earliest unpaid charging year, else the latest" };
const habits: Readonly<Record<string, Habit>> = {
  "/attendance/month/downLoad": { key: ["userId", "workNum", "workName", "groupOfCheck"] },
  "/attendance/month/queryAnalyseStatu": { intended: { waring: "Quintet words the warnings differently" } },
  "/attendance/month/title": { intended: { id: "the id is the month" } },
  "/disease-command/broadcast/statistics/info": { intended: { id: fromStart } },
  "/disease-command/consumptionCategoryStatistics/list": {
    key: ["categoryName"],
    intended: { id: fromStart },
    own: fromStart,
  },
  "/tuitionpayment/payableinfo/payableInfo": dues,
  "/tuitionpayment/payableinfo/payableInfo/:studentNo/:studentName": dues,
};
const accounts: Habit = { key: ["userName"], intended: { id: newIds }, own: "accounts of Quintet" };
const habitOf = ({ url, fields }: DocumentedRead): Habit => habits[url] ?? ("password" in fields ? accounts : {});
const intendedEverywhere: Readonly<Record<string, string>> = { extraFileShowUrl: moved };

// The codes with which Quintet refuses a card number if its settings require further proof of identity.
const { outsideNotConfigured, headerMissing, forbidden } = sharedProblems;
const loginCodes = new Set<unknown>([outsideNotConfigured.code, headerMissing.code, forbidden.code]);

// Matches addresses of uploads, which differ between the two systems and may occur in any text. If the address is the
// whole text or an item of a comma-separated list, the file's name may have spaces.
const addresses = /(?<=[",])[^",<>]*\.[a-z\d]{2,5}(?=[",])|(?:https?:\/\/|\/)?[^\s"'<>(),;|\\]+\.[a-z\d]{2,5}\b/gi;

/**
 * Returns whether all differences are intended. A read that fails counts as a difference; a read that cannot be
 * compared does not.
 */
export async function compareSides(
  contracts: readonly ServiceContract[],
  options: SideBySideOptions,
): Promise<boolean> {
  const shared = new Map<string, readonly Item[]>();
  let isSame = true;
  for (const read of contracts.filter(({ name }) => name === options.service).flatMap(listReads)) {
    const records = read.list === undefined ? [{}] : (shared.get(read.list) ?? []);
    const asks = listAsks(read, records);
    const obstacle = read.obstacle ?? (await findObstacle(asks, options.here));
    if (obstacle === undefined) {
      const found = await compareRead(read, asks, options);
      shared.set(read.url, found.shared);
      isSame = isSame && found.isSame;
    } else options.say(`not read: ${read.url}: ${obstacle}`);
  }
  return isSame;
}

async function findObstacle([first]: readonly Ask[], { base }: Side): Promise<string | undefined> {
  if (first === undefined) return "there is no record that is identical in both systems";
  if (first.headers === undefined) return undefined;
  const failure = await ask(toUrl(base, first), first).then(
    () => undefined,
    ({ cause }: Error) => cause,
  );
  return failure instanceof Error && loginCodes.has(failure.cause) ? "requires a student's login" : undefined;
}

interface Found {
  readonly counts: Record<"there" | "here" | "same" | "intended" | "different" | "onlyHere", number>;
  readonly shared: Item[];
  readonly lines: string[];
  /** The number of items with an intended difference, by field and reason. */
  readonly intended: Map<string, number>;
}

async function compareRead(read: DocumentedRead, asks: readonly Ask[], { there, here, say }: SideBySideOptions) {
  const counts = { there: 0, here: 0, same: 0, intended: 0, different: 0, onlyHere: 0 };
  const found: Found = { counts, shared: [], lines: [], intended: new Map() };
  const left = new Map<string, string>();
  try {
    for await (const [key, item] of readItems(there, read, asks)) left.set(key, JSON.stringify(item));
    counts.there = left.size;
    for await (const [key, item] of readItems(here, read, asks)) {
      const isAlike = judgeItem(found, read, { key, old: left.get(key), item });
      left.delete(key);
      if (isAlike && asks.every(({ label }) => label !== key) && found.shared.length < mostAsked)
        found.shared.push(item);
    }
    found.lines.push(...left.keys().map((key) => `${key}: only in the old system`));
  } catch (error) {
    found.lines.unshift(toReason(error));
    left.clear();
  }
  say(
    `${read.url}: ${counts.there} in the old system, ${counts.here} in Quintet; ${counts.same} identical, ${counts.intended} with intended differences, ` +
      `${counts.different} different, ${left.size} only in the old system, ${counts.onlyHere} only in Quintet`,
  );
  for (const line of found.lines.slice(0, mostShown)) say(`  ${line}`);
  for (const [what, count] of found.intended) say(`intended difference: ${read.url}: ${what} (${count})`);
  return { shared: found.shared, isSame: found.lines.length === 0 };
}

interface Pair {
  readonly key: string;
  /** The item of the old system as JSON. */
  readonly old: string | undefined;
  readonly item: Item;
}

/** Returns whether both systems have the item, without an unintended difference. */
function judgeItem(found: Found, read: DocumentedRead, { key, old, item }: Pair): boolean {
  const differences = judgePair(read, old, item);
  const unintended = [...new Set(differences.flatMap(({ field, reason }) => (reason === undefined ? [field] : [])))];
  for (const what of new Set(differences.flatMap(({ field, reason }) => (reason ? [`${field}: ${reason}`] : []))))
    found.intended.set(what, (found.intended.get(what) ?? 0) + 1);
  found.counts.here++;
  found.counts[kindOf(differences.length, unintended.length, old === undefined)]++;
  if (unintended.length > 0) found.lines.push(`${key}: ${unintended.join(", ")}`);
  return old !== undefined && unintended.length === 0;
}

function judgePair(read: DocumentedRead, text: string | undefined, item: Item): Difference[] {
  const habit = habitOf(read);
  if (text === undefined) return [{ field: "only in Quintet", reason: habit.own }];
  const old = JSON.parse(text) as Item;
  if (habit.otherYear && isShownFirst(item, old)) return [{ field: "years", reason: habit.otherYear }];
  return [...listDifferences(old, item, { shape: read.fields, prefix: "" }, habit)];
}

/**
 * Whether the items are payables of one student for different charging years, and Quintet shows the right one: the
 * earliest unpaid year, else the latest.
 */
function isShownFirst(here: Item, old: Item): boolean {
  if (here["studentNo"] !== old["studentNo"] || here["years"] === old["years"]) return false;
  const isLater = String(here["years"]) > String(old["years"]);
  return here["pay"] === old["pay"] ? here["pay"] === isLater : old["pay"] === true;
}

function kindOf(differences: number, unintended: number, isNew: boolean) {
  if (unintended > 0) return isNew ? "onlyHere" : "different";
  return differences > 0 ? "intended" : "same";
}

interface Difference {
  readonly field: string;
  /** Undefined if the difference is not intended. */
  readonly reason: string | undefined;
}

interface Fields {
  readonly shape: Shape;
  readonly prefix: string;
}

/**
 * Lists only the names of the fields that differ, since values would show personal data on a terminal. Fields that only
 * Quintet has are not listed.
 */
function* listDifferences(old: Item, here: Item, { shape, prefix }: Fields, habit: Habit): Generator<Difference> {
  for (const [name, part] of Object.entries(old)) {
    const [field, schema] = [prefix + name, shape[name]];
    if (schema === undefined) yield { field, reason: undocumented };
    else yield* compareValues({ old: part, here: here[name], schema, field }, habit);
  }
}

interface Values {
  readonly old: unknown;
  readonly here: unknown;
  readonly schema: z.ZodType;
  readonly field: string;
}

function* compareValues({ old, here, schema, field }: Values, habit: Habit): Generator<Difference> {
  if (Array.isArray(old) && Array.isArray(here) && old.length === here.length)
    for (const [at, part] of old.entries()) yield* compareValues({ old: part, here: here[at], schema, field }, habit);
  else if (isItem(old) && isItem(here))
    yield* listDifferences(old, here, { shape: findShape(schema), prefix: `${field}.` }, habit);
  else if (write(old) !== write(here)) yield { field, reason: explain({ old, here, schema, field }, habit) };
}

function explain({ old, here, schema, field }: Values, { intended = {} }: Habit): string | undefined {
  if (schema instanceof z.ZodNull) return schema.description;
  const isMoved = withoutAddresses(old) === withoutAddresses(here);
  return intended[field] ?? intendedEverywhere[field] ?? (isMoved ? moved : undefined);
}

const isItem = (value: unknown): value is Item => typeof value === "object" && value !== null && !Array.isArray(value);
const write = (value: unknown): string => JSON.stringify(value ?? "");
const withoutAddresses = (value: unknown): string => write(value).replaceAll(addresses, "");

/** Yields the items of lists by their keys, and other answers by the labels of their calls. */
async function* readItems(
  { base, token }: Side,
  read: DocumentedRead,
  asks: readonly Ask[],
): AsyncGenerator<[key: string, item: Item]> {
  const { key = ["id" in read.fields ? "id" : (Object.keys(read.fields)[0] ?? "")] } = habitOf(read);
  const headers = { admin_token: token, "admin-token": token };
  for (const each of asks)
    for (let at = 1, pages = 1; at <= pages; at++) {
      const url = toUrl(base, each);
      if (read.page !== undefined)
        url.search = new URLSearchParams({ [read.page]: `${at}`, pageSize: `${pageSize}` }).toString();
      const { list, single, totalPage } = splitAnswer(await ask(url, { headers, ...each }));
      pages = totalPage;
      if (single !== undefined && at === 1) yield [each.label, single];
      for (const item of list) yield [key.map((field) => String(item[field])).join(" "), item];
    }
}

interface Split {
  readonly list: readonly Item[];
  /** The answer if it has no list. If the answer has a list in one of its fields, the other fields. */
  readonly single?: Item;
  readonly totalPage: number;
}

function splitAnswer(data: unknown): Split {
  if (Array.isArray(data)) return { list: data as Item[], totalPage: 1 };
  if (!isItem(data)) return { list: [], totalPage: 1 };
  const [name, page] = Object.entries({ "": data, ...data }).find(([, part]) => isPage(part)) ?? [];
  if (!isPage(page)) return { list: [], single: data, totalPage: 1 };
  const { [name ?? ""]: _, ...single } = data;
  return { ...page, ...(name !== "" && { single }) };
}

const isPage = (value: unknown): value is Split => isItem(value) && Array.isArray(value["list"]);

const toUrl = (base: string, { path }: Ask): URL => new URL(base.replace(/\/$/, "") + path);

async function ask(url: URL, { path, label, headers = {} }: Ask): Promise<unknown> {
  try {
    // Redirects are errors, since a redirect could send the token to another server.
    const answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
    const { success, code, data } = (await answer.json()) as { success?: unknown; code?: unknown; data?: unknown };
    if (!answer.ok || success !== true)
      throw new Error(`status ${answer.status}, code ${String(code)}`, { cause: code });
    return data;
  } catch (error) {
    const where = `${url.origin}${url.pathname.replace(path, label)}`;
    throw new Error(`${where} cannot be read: ${toReason(error)}.`, { cause: error });
  }
}
