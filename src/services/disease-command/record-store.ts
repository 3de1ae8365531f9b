import { JsonText } from "#platform/contract/envelope.ts";
import type { Places } from "#platform/contract/scope.ts";
import { isDescending, type SortQuery } from "#platform/contract/sorting.ts";
import { parseDateTime } from "#platform/contract/times.ts";
import { type Db, batchByPool, startStatement, type Statement, type Within } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import { toLink } from "#platform/process/links.ts";

export interface Column {
  readonly name: string;
  /** SQL by which lists are sorted; if undefined, lists are sorted by the column. */
  readonly place?: string;
  /** SQL that yields the value for responses; if undefined, responses contain the column's value. */
  readonly read?: (settings: Settings) => string;
  /**
   * Converts a value of a request for storage. If undefined, the value is stored unchanged, except that "" becomes
   * null.
   */
  readonly write?: (value: never, settings: Settings) => unknown;
}

export type Filter = (statement: Statement, value: never, settings: Settings) => string;

export interface RecordTable<Field extends string = string> {
  readonly table: string;
  readonly columns: Readonly<Record<Field, Column>>;
  readonly filters?: Readonly<Record<string, Filter>>;
  readonly unique?: Readonly<Record<string, Field>>;
  /** The field with a list of uploads, separated by commas. */
  readonly files?: Field;
  /** Whether `files` is the name of one upload and not a list. */
  readonly hasOneFile?: true;
  readonly places?: Places;
  /** A field that is null in the responses of list operations. */
  readonly unlisted?: Field;
}

export type FieldOf<R extends { readonly shape: object }> = Exclude<keyof R["shape"] & string, "id">;

export const plain = (name: string): Column => ({ name });

export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export const instant = (name: string): Column => ({
  name,
  read: ({ TIME_ZONE }) => `to_char(${name} at time zone ${quote(TIME_ZONE)}, 'YYYY-MM-DD HH24:MI:SS')`,
  write: (value: string, { TIME_ZONE }) => parseDateTime(value, TIME_ZONE),
});

/** SQL for the month of an instant, as `yyyy-MM`. */
export const toMonth = (name: string, { TIME_ZONE }: Settings): string =>
  `to_char(${name} at time zone ${quote(TIME_ZONE)}, 'YYYY-MM')`;

export const fileFolder = (settings: Settings): string => toLink(settings, "/disease-command/file/");

export const yesOrNo = (name: string): Column => ({
  name,
  // The value "1" sorts before "2", but false before true.
  place: `not ${name}`,
  read: () => `case when ${name} then '1' else '2' end`,
  write: (value: "1" | "2") => value === "1",
});

export const equals =
  (name: string): Filter =>
  (statement, value) =>
    `${name} = ${statement.value(value)}`;

export const contains =
  (...names: string[]): Filter =>
  (statement, value) => {
    const place = statement.value(value);
    return `(${names.map((name) => `strpos(lower(${name}), lower(${place})) > 0`).join(" or ")})`;
  };

export const daySpan = (name: string): Record<"startDate" | "endDate", Filter> => ({
  startDate: (statement, value) => `${name} >= ${statement.value(value)}::date`,
  endDate: (statement, value) => `${name} <= ${statement.value(value)}::date`,
});

// PostgreSQL writes the JSON of the response, so that this process need not parse the records.

export interface ListQuery extends SortQuery {
  readonly curPage: number;
  readonly pageSize: number;
}

export type RecordBody = Readonly<Record<string, unknown>>;

export function selectFields({ columns, unlisted }: RecordTable, settings: Settings, listed = false): string {
  const fields = Object.entries(columns).map(([field, { name, read }]) => {
    const sql = listed && field === unlisted ? "null" : (read?.(settings) ?? name);
    return `${sql} as "${field}"`;
  });
  return ["id", ...fields].join(", ");
}

export const toArray = (query: string): string => `(select coalesce(json_agg(row), '[]') from (${query}) as row)`;

export const toObject = (query: string): string => `(select row_to_json(row) from (${query}) as row)`;

/**
 * SQL for a page as JSON. `source` is the FROM clause of the query that counts all rows, and `rows` is the query whose
 * rows are paginated.
 */
export function toPageObject(
  statement: Statement,
  { curPage, pageSize }: ListQuery,
  source: string,
  rows: string,
): string {
  const [size, page] = [`${statement.value(pageSize)}::int`, `${statement.value(curPage)}::bigint`];
  const offset = `offset ${statement.value((curPage - 1) * pageSize)}`;
  return `(select json_build_object('totalCount', count, 'pageSize', ${size}, 'totalPage', (count + ${size} - 1) / ${size},
    'currPage', ${page}, 'list', ${toArray(`${rows} limit ${size} ${offset}`)}) from (select count(*) as count ${source}) as total)`;
}

export function writeFilters(
  statement: Statement,
  { filters = {}, places = {} }: RecordTable,
  settings: Settings,
  query: object,
  within: Within,
): string {
  const conditions = Object.entries(query).flatMap(([name, value]) =>
    Object.hasOwn(filters, name) ? [filters[name]?.(statement, value as never, settings)] : [],
  );
  conditions.push(...within.list(statement, places));
  return conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";
}

/** Returns undefined if the value of the expression is null. */
export async function readJson(db: Db, statement: Statement, expression: string): Promise<JsonText | undefined> {
  const [row] = await statement.run<{ json: string | null }>(db, `select ${expression}::text as json`);
  return typeof row?.json === "string" ? new JsonText(row.json) : undefined;
}

/**
 * Compiles a query without parameters. Calls that arrive while the query runs share its next execution, since all
 * screens of a city ask for the same data.
 */
export function compileRead(expression: string): (db: Db) => Promise<JsonText | undefined> {
  const readTogether = batchByPool(async (db: Db, questions: readonly undefined[]) => {
    const answer = await readJson(db, startStatement(), expression);
    return questions.map(() => answer);
  });
  return (db) => readTogether(db, undefined);
}

export function writePage(
  statement: Statement,
  table: RecordTable,
  settings: Settings,
  query: ListQuery,
  within: Within,
): string {
  const direction = isDescending(query) ? "desc" : "asc";
  const column = query.orderField === undefined ? undefined : table.columns[query.orderField];
  const sortedBy = column?.place ?? column?.name;
  const order = [...(sortedBy === undefined ? [] : [`${sortedBy} ${direction}`]), `id ${direction}`].join(", ");
  const source = `from ${table.table} ${writeFilters(statement, table, settings, query, within)}`;
  const rows = `select ${selectFields(table, settings, true)} ${source} order by ${order}`;
  return toPageObject(statement, query, source, rows);
}

export function findRecord(
  db: Db,
  table: RecordTable,
  settings: Settings,
  { column, value, within }: { column: string; value: unknown; within: Within },
): Promise<JsonText | undefined> {
  const statement = startStatement();
  const place = statement.value(value as never);
  const query = `select ${selectFields(table, settings)} from ${table.table} where ${[`${column} = ${place}`, ...within.list(statement, table.places ?? {})].join(" and ")}`;
  return readJson(db, statement, toObject(query));
}

const placeValues = (
  statement: Statement,
  { columns }: RecordTable,
  settings: Settings,
  body: RecordBody,
): [name: string, place: string][] =>
  Object.entries(body).flatMap(([field, value]) => {
    const column = Object.hasOwn(columns, field) ? columns[field] : undefined;
    if (!column || value === undefined) return [];
    const stored = column.write ? column.write(value as never, settings) : value === "" ? null : value;
    return [[column.name, statement.value(stored as never)]];
  });

export async function insertRecord(
  tx: Db,
  table: RecordTable,
  settings: Settings,
  body: RecordBody,
  within: Within,
): Promise<number> {
  within.refuseOutside(listPlaced(table, body, ""));
  const statement = startStatement();
  const values = placeValues(statement, table, settings, body);
  const [row] = await statement.run<{ id: number }>(
    tx,
    `insert into ${table.table} (${values.map(([name]) => name).join(", ")})
      values (${values.map(([, place]) => place).join(", ")}) returning id`,
  );
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

const listPlaced = ({ places = {} }: RecordTable, body: RecordBody, otherwise: string | undefined) =>
  Object.fromEntries(Object.keys(places).map((name) => [name, (body[name] as string | undefined) ?? otherwise]));

export async function updateRecord(
  tx: Db,
  table: RecordTable,
  settings: Settings,
  id: number,
  body: RecordBody,
  within: Within,
): Promise<boolean> {
  within.refuseOutside(listPlaced(table, body, undefined));
  const statement = startStatement();
  const changes = placeValues(statement, table, settings, body).map(([name, place]) => `${name} = ${place}`);
  if (Object.hasOwn(table.columns, "updateTime")) changes.push("updated_at = now()");
  const where = `where ${[`id = ${statement.value(id)}`, ...within.list(statement, table.places ?? {})].join(" and ")}`;
  const rows = await statement.run(
    tx,
    changes.length > 0
      ? `update ${table.table} set ${changes.join(", ")} ${where} returning id`
      : `select from ${table.table} ${where} for update`,
  );
  return rows.length > 0;
}

/** Locks the table against other writers until the transaction ends; reading stays possible. */
export async function takeTurn(tx: Db, { table }: RecordTable): Promise<void> {
  await tx.script(`lock table ${table} in share row exclusive mode`);
}

export async function deleteRecords(
  tx: Db,
  { table, places = {} }: RecordTable,
  ids: readonly number[],
  within: Within,
): Promise<number[]> {
  const statement = startStatement();
  const chosen = [`id = any(${statement.value(ids)})`, ...within.list(statement, places)].join(" and ");
  // Deletions lock rows by ascending id, which prevents deadlocks between them.
  const rows = await statement.run<{ id: number }>(
    tx,
    `with chosen as (select id from ${table} where ${chosen} order by id for update)
      delete from ${table} as record using chosen where record.id = chosen.id returning record.id`,
  );
  return rows.map(({ id }) => id);
}
