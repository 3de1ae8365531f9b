import { writeFile } from "node:fs/promises";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { OldTable, OldTables, OldValue } from "./old-tables.ts";
import { listRecords, type RecordShape } from "./records.ts";

// Finds the tables of an old database that match the services' records, and writes a map file for people to edit.

const spellings: Readonly<Record<string, readonly string[]>> = {
  id: ["userid"],
  userName: ["account", "loginname"],
  name: ["realname", "nickname"],
  phone: ["mobile", "tel", "telephone", "phonenumber"],
  password: ["pwd", "passwd"],
  time: ["createtime", "createdate", "gmtcreate"],
  createTime: ["time", "createdate", "gmtcreate"],
  reportingTime: ["createtime", "createdate", "gmtcreate"],
  delStatus: ["delflag", "deleted", "isdeleted"],
  statu: ["status", "state"],
  pay: ["paid", "ispay", "ispaid", "payflag", "paystatus"],
  status: ["statu", "state"],
  month: ["yearmonth", "months", "attendancemonth", "monthofyear", "countmonth"],
};
// The import needs these fields of a record, so if no column matches, people must write constants into the map.
const needed: Readonly<Record<string, readonly string[]>> = { "attendance.monthlyRows": ["month"] };
const bookkeeping = /^(?:id|version|(?:create|update)(?:by|user|userid|time|date)|gmt(?:create|modified)|remark)$/;
// The weight of a column whose name is not the name of a field. The name of a field of n records weighs 1/n.
const strangeWeight = 0.25;
// A missing field counts little against a match, since old systems lack many of today's fields.
const missingWeight = 0.25;
const leastSure = 0.35;
// The administrator tables of three services look alike, so the presence of a service's other tables decides between
// them.
const companyWeight = 0.1;

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

interface SeenTable extends OldTable {
  rows: number;
  readonly passwords: Map<string, Record<string, number>>;
}

interface Match {
  readonly record: RecordShape;
  readonly table: SeenTable;
  readonly columns: ReadonlyMap<string, string>;
  readonly sure: number;
}

const hashKinds: readonly (readonly [string, RegExp])[] = [
  ["bcrypt", /^\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}$/],
  ["sha256", /^[\da-f]{64}$/i],
  ["md5", /^[\da-f]{32}$/i],
];
const kindOf = (hash: OldValue): string =>
  hash === null || hash === "" ? "none" : (hashKinds.find(([, pattern]) => pattern.test(hash))?.[0] ?? "unknown");

async function readTables(old: OldTables): Promise<SeenTable[]> {
  const tables = new Map<string, SeenTable>();
  await old.read({
    table: (table) => {
      const secret = table.columns.filter((column) => /passw|pwd/i.test(column));
      tables.set(table.name, { ...table, rows: 0, passwords: new Map(secret.map((column) => [column, {}])) });
    },
    row: ({ name, columns }, values) => {
      const seen = tables.get(name);
      if (!seen) return;
      seen.rows++;
      for (const [column, kinds] of seen.passwords) {
        const kind = kindOf(values[columns.indexOf(column)] ?? null);
        kinds[kind] = (kinds[kind] ?? 0) + 1;
      }
    },
  });
  return [...tables.values()];
}

function matchColumns({ fields }: RecordShape, { columns }: OldTable): Map<string, string> {
  const found = new Map<string, string>();
  const rest = new Map(columns.map((column) => [plain(column), column]));
  const take = (field: string, spelt: string): void => {
    const column = rest.get(spelt);
    if (column === undefined || found.has(field)) return;
    found.set(field, column);
    rest.delete(spelt);
  };
  for (const field of fields) take(field, plain(field));
  for (const field of fields) for (const other of spellings[field] ?? []) take(field, other);
  return found;
}

function listUnplaced({ table, columns }: Pick<Match, "table" | "columns">): string[] {
  const placed = new Set(columns.values());
  return table.columns.filter((column) => !placed.has(column));
}

/**
 * Matches records with tables. The score of a match is the weighted share of the fields and columns that the record and
 * the table have in common; a field that few records have weighs more.
 */
function matchAll(records: readonly RecordShape[], tables: readonly SeenTable[]): Match[] {
  const uses = new Map<string, number>();
  for (const { fields } of records)
    for (const field of fields) uses.set(plain(field), (uses.get(plain(field)) ?? 0) + 1);
  const weigh = (name: string): number =>
    bookkeeping.test(plain(name)) ? 0 : uses.has(plain(name)) ? 1 / (uses.get(plain(name)) ?? 1) : strangeWeight;
  const sum = (names: Iterable<string>): number => [...names].reduce((total, name) => total + weigh(name), 0);
  return records.flatMap((record) =>
    tables.map((table) => {
      const columns = matchColumns(record, table);
      const both = sum(columns.keys());
      const strange = sum(listUnplaced({ table, columns }));
      const missing = missingWeight * sum(record.fields.filter((field) => !columns.has(field)));
      return { record, table, columns, sure: both === 0 ? 0 : both / (both + strange + missing) };
    }),
  );
}

function chooseTables(matches: readonly Match[]): Match[] {
  const likely = matches.filter(({ sure }) => sure >= leastSure);
  const company = (service: string): number => likely.filter(({ record }) => record.service === service).length;
  const worth = new Map(likely.map((match) => [match, match.sure + companyWeight * company(match.record.service)]));
  const chosen: Match[] = [];
  for (const match of likely.toSorted((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0)))
    if (!chosen.some(({ record, table }) => record === match.record || table === match.table)) chosen.push(match);
  return chosen;
}

// JSON strings are valid YAML, so names are quoted as JSON.
const quote = (value: unknown): string => JSON.stringify(value);

const describeMatch = (match: Match): string[] => [
  `  ${match.record.name}:`,
  `    table: ${quote(match.table.name)}`,
  `    rows: ${match.table.rows}`,
  `    sure: ${match.sure.toFixed(2)}`,
  "    columns:",
  ...[...match.columns].map(([field, column]) => `      ${field}: ${quote(column)}`),
  ...(needed[match.record.name] ?? [])
    .filter((field) => !match.columns.has(field))
    .map((field) => `    values: {${field}: ""} # no matching column: enter a value for all rows`),
  `    unplaced: ${quote(listUnplaced(match))}`,
  ...(match.table.passwords.size > 0 ? [`    passwords: ${quote(Object.fromEntries(match.table.passwords))}`] : []),
];

const describeMap = (chosen: readonly Match[], unplaced: readonly SeenTable[]): string =>
  [
    "# Assigns tables and columns of the old database to records and their fields. Review it before the import.",
    "# sure: confidence of a match, from 0 to 1.",
    "# unplaced: columns that match no field, and tables that match no record, with their numbers of rows.",
    "# zone: time zone of the stored times. gap: distance between the highest old id and the first new id.",
    "# uploads: for each service, {folder: folder of the old files, address: prefix of a file's path in the rows}.",
    'zone: "Asia/Shanghai"',
    "gap: 1000",
    "uploads: {}",
    chosen.length > 0 ? "records:" : "records: {}",
    ...chosen.flatMap(describeMatch),
    unplaced.length > 0 ? "unplaced:" : "unplaced: {}",
    ...unplaced.map(({ name, rows }) => `  ${quote(name)}: ${rows}`),
    "",
  ].join("\n");

export interface PlanOptions {
  readonly old: OldTables;
  /** The path of the new file. An existing file is never overwritten, since somebody may have edited it. */
  readonly map: string;
  readonly say: (line: string) => void;
}

/**
 * Returns whether every table and column was matched.
 * @throws {Error} before anything is written, if the old database cannot be read or the map file exists
 */
export async function runPlan(contracts: readonly ServiceContract[], options: PlanOptions): Promise<boolean> {
  const { old, map, say } = options;
  const records = listRecords(contracts);
  const tables = await readTables(old);
  const chosen = chooseTables(matchAll(records, tables));
  const unplaced = tables.filter((table) => !chosen.some((match) => match.table === table));
  await writeFile(map, describeMap(chosen, unplaced), { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? new Error(`${map} already exists: delete it, or choose another file.`) : error;
  });
  const columns = chosen.flatMap(listUnplaced).length;
  say(`${chosen.length} of ${tables.length} tables match records of the services: see ${map}.`);
  if (unplaced.length + columns > 0)
    say(`Tables without a match: ${unplaced.length}; columns without a match: ${columns}.`);
  return unplaced.length + columns === 0;
}
