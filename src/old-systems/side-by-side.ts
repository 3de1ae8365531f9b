import * as z from "zod";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { toReason } from "./old-tables.ts";
import { type DocumentedRead, fillPath, listReads } from "./reads.ts";
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

type Item = Readonly<Record<string, unknown>>;

const pageSize = 100;
const timeoutMs = 60_000;
const mostShown = 50;
/** The number of records of a list whose values are used as parameters of other reads. */
const mostAsked = 20;

interface Habit {
  readonly key?: readonly string[];
  /** The reasons of intended differences, by field, as decision 51 explains. */
  readonly intended?: Readonly<Record<string, string>>;
  /** The reason why some items are only in Quintet. */
  readonly own?: string;
}
const newIds = "accounts get new ids";
const fromStart = "Quintet has this record from the start";
const undocumented = "the field is not documented";
const moved = "addresses of uploads change";
const habits: Readonly<Record<string, Habit>> = {
  "/attendance/month/downLoad": { key: ["userId", "workNum", "workName", "groupOfCheck"] },
  "/attendance/month/queryAnalyseStatu": { intended: { waring: "warnings are worded by Quintet" } },
  "/attendance/month/title": { intended: { id: "the id is the month" } },
  "/disease-command/broadcast/statistics/info": { intended: { id: fromStart } },
  "/disease-command/consumptionCategoryStatistics/list": {
    key: ["categoryName"],
    intended: { id: fromStart },
    own: fromStart,
  },
};
const accounts: Habit = { key: ["userName"], intended: { id: newIds }, own: "accounts of Quintet" };
const habitOf = ({ url, fields }: DocumentedRead): Habit => habits[url] ?? ("password" in fields ? accounts : {});
const intendedEverywhere: Readonly<Record<string, string>> = { extraFileShowUrl: moved };

// Matches addresses of uploads, which differ between the two systems and may occur in any text. If the address is the
// whole text or an item of a list, the file's name may have spaces.
const addresses = /(?<=[",])[^",<>]*\.[a-z\d]{2,5}(?=[",])|(?:https?:\/\/|\/)?[^\s"'<>(),;|\\]+\.[a-z\d]{2,5}\b/gi;

/** Returns whether all differences are intended. A read that fails counts as a difference. */
export async function compareSides(
  contracts: readonly ServiceContract[],
  options: SideBySideOptions,
): Promise<boolean> {
  const shared = new Map<string, readonly Item[]>();
  let isSame = true;
  for (const read of contracts.filter(({ name }) => name === options.service).flatMap(listReads)) {
    const records = read.list === undefined ? [{}] : (shared.get(read.list) ?? []);
    const paths = records.map((record) => fillPath(read.url, record, read.fields));
    const obstacle =
      read.obstacle ?? (paths.length === 0 ? "there is no record that is identical in both systems" : undefined);
    if (obstacle === undefined) {
      const found = await compareRead(read, paths, options);
      shared.set(read.url, found.shared);
      isSame = isSame && found.isSame;
    } else options.say(`not read: ${read.url}: ${obstacle}`);
  }
  return isSame;
}

interface Found {
  readonly counts: Record<"there" | "here" | "same" | "intended" | "different" | "onlyHere", number>;
  readonly shared: Item[];
  readonly lines: string[];
  /** The number of items with an intended difference, by field and reason. */
  readonly intended: Map<string, number>;
}

async function compareRead(read: DocumentedRead, paths: readonly string[], { there, here, say }: SideBySideOptions) {
  const counts = { there: 0, here: 0, same: 0, intended: 0, different: 0, onlyHere: 0 };
  const found: Found = { counts, shared: [], lines: [], intended: new Map() };
  const left = new Map<string, string>();
  try {
    for await (const [key, item] of readItems(there, read, paths)) left.set(key, JSON.stringify(item));
    counts.there = left.size;
    for await (const [key, item] of readItems(here, read, paths)) {
      const isAlike = judgeItem(found, read, { key, old: left.get(key), item });
      left.delete(key);
      if (isAlike && !paths.includes(key) && found.shared.length < mostAsked) found.shared.push(item);
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
  const habit = habitOf(read);
  const differences =
    old === undefined
      ? [{ field: "only in Quintet", reason: habit.own }]
      : [...listDifferences(JSON.parse(old) as Item, item, { shape: read.fields, prefix: "" }, habit)];
  const unintended = [...new Set(differences.flatMap(({ field, reason }) => (reason === undefined ? [field] : [])))];
  for (const what of new Set(differences.flatMap(({ field, reason }) => (reason ? [`${field}: ${reason}`] : []))))
    found.intended.set(what, (found.intended.get(what) ?? 0) + 1);
  found.counts.here++;
  found.counts[kindOf(differences.length, unintended.length, old === undefined)]++;
  if (unintended.length > 0) found.lines.push(`${key}: ${unintended.join(", ")}`);
  return old !== undefined && unintended.length === 0;
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
 * Lists only the names of the fields that differ, since values would show personal data on a terminal. Fields of the
 * new system only are additions.
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

/** Yields the items of lists by their keys, and other answers by their paths. */
async function* readItems(
  { base, token }: Side,
  read: DocumentedRead,
  paths: readonly string[],
): AsyncGenerator<[key: string, item: Item]> {
  const { key = ["id" in read.fields ? "id" : (Object.keys(read.fields)[0] ?? "")] } = habitOf(read);
  for (const path of paths)
    for (let at = 1, pages = 1; at <= pages; at++) {
      const url = new URL(base.replace(/\/$/, "") + path);
      if (read.page !== undefined)
        url.search = new URLSearchParams({ [read.page]: `${at}`, pageSize: `${pageSize}` }).toString();
      const { list, single, totalPage } = splitAnswer(await ask(url, token));
      pages = totalPage;
      if (single !== undefined && at === 1) yield [path, single];
      for (const item of list) yield [key.map((field) => String(item[field])).join(" "), item];
    }
}

interface Split {
  readonly list: readonly Item[];
  /** The answer if it is no list, or what it holds beside a page. */
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

async function ask(url: URL, token: string): Promise<unknown> {
  const where = `${url.origin}${url.pathname}`;
  const headers = { admin_token: token, "admin-token": token };
  try {
    // Redirects are errors, since a redirect could send the token to another server.
    const answer = await fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
    const { success, code, data } = (await answer.json()) as { success?: unknown; code?: unknown; data?: unknown };
    if (!answer.ok || success !== true) throw new Error(`status ${answer.status}, code ${String(code)}`);
    return data;
  } catch (error) {
    throw new Error(`${where} cannot be read: ${toReason(error)}.`, { cause: error });
  }
}
