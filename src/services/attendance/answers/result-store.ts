import { type Db, startStatement, type Statement } from "#platform/database/index.ts";
import { dayFields } from "#services/attendance/record-contract.ts";
import type { Person } from "#services/attendance/model.ts";
import { openRow, type StoredRow } from "#services/attendance/stored-rows.ts";
import { exportColumns } from "./export.ts";

export interface ResultFilter {
  readonly department?: string | undefined;
  readonly group?: string | undefined;
  /** Stands anywhere in the name. */
  readonly name?: string | undefined;
}

// Unlike the database's own order, this one is the same on every server.
const order = `department collate "C", work_number collate "C", name collate "C", row`;

/** Whose rows: those of an analysed month, or of a version. */
export type RowSource = { readonly month: string } | { readonly version: number };

/** Those rows in a statement, up to their condition. */
const toRows = (statement: Statement, source: RowSource): string =>
  "month" in source
    ? `attendance.result where month = ${statement.value(source.month)}`
    : `attendance.version_row where version_id = ${statement.value(source.version)}`;

function toCondition(source: RowSource, { department, group, name }: ResultFilter) {
  const statement = startStatement();
  const conditions = [toRows(statement, source)];
  if (department !== undefined) conditions.push(`department = ${statement.value(department)}`);
  if (group !== undefined) conditions.push(`group_name = ${statement.value(group)}`);
  if (name !== undefined) conditions.push(`position(lower(${statement.value(name)}) in lower(name)) > 0`);
  return { statement, wanted: conditions.join(" and ") };
}

interface ResultSpan {
  readonly offset: number;
  readonly limit: number;
}

const streamedRows = 200;

/** The summary rows as JSON texts, a batch at a time. */
export async function* streamResults(
  db: Db,
  source: RowSource,
  filter: ResultFilter,
  span?: ResultSpan,
): AsyncGenerator<string[]> {
  const { statement, wanted } = toCondition(source, filter);
  const page = span ? `limit ${span.limit} offset ${span.offset}` : "";
  const text = `select data::text as data, id_card as "idCard" from ${wanted} order by ${order} ${page}`;
  for await (const batch of statement.stream<StoredRow>(db, text, streamedRows))
    yield batch.map((row) => openRow(db.keys, row));
}

export async function countResults(db: Db, source: RowSource, filter: ResultFilter): Promise<number> {
  const { statement, wanted } = toCondition(source, filter);
  const [row] = await statement.run<{ count: number }>(db, `select count(*) as count from ${wanted}`);
  return row?.count ?? 0;
}

/** Who is asked for: by UserId, number, name or group, whichever are given. */
export type Wanted = Partial<Record<keyof Person | "group", string | undefined>>;

/** The employees of an analysed month who are meant, the first hundred. */
export async function findResults(
  db: Db,
  month: string,
  {
    userId = null,
    workNumber = null,
    name = null,
    group = null,
  }: { readonly [K in keyof Wanted]: string | null | undefined },
): Promise<{ employee: number; group: string }[]> {
  return db<{ employee: number; group: string }[]>`
    select row as employee, group_name as "group" from attendance.result
    where month = ${month} and (${userId}::text is null or user_id = ${userId})
      and (${workNumber}::text is null or work_number = ${workNumber})
      and (${name}::text is null or name = ${name}) and (${group}::text is null or group_name = ${group})
    order by row limit 100`;
}

interface ComparisonFilter {
  readonly department: string | undefined;
  /**
   * Only those who differ: by the whole row, or by their figures. Two months always differ in their days, and in the
   * records, which say the days.
   */
  readonly changed: "row" | "figures" | undefined;
}

const otherFields = [
  "id",
  ...dayFields,
  ...exportColumns.filter(({ type }) => type === "text").map(({ field }) => field),
];

function toDifference(statement: Statement, changed: "row" | "figures"): string {
  if (changed === "row") return "(one.data::text, one.id_card) is distinct from (two.data::text, two.id_card)";
  const others = `string_to_array(${statement.value(otherFields.join())}, ',')`;
  return `one.data::jsonb - ${others} is distinct from two.data::jsonb - ${others}`;
}

// Rows of one UserId are told apart by their groups, and else stand in the order of their sheet.
const sideOf = (statement: Statement, source: RowSource, { department }: ComparisonFilter): string => `
  select *, case when user_id <> '' then user_id else '/' || work_number || '/' || name end as identity,
    row_number() over (partition by user_id, case when user_id = '' then work_number || '/' || name end
      order by group_name collate "C", row) as twin
  from ${toRows(statement, source)} ${department === undefined ? "" : `and department = ${statement.value(department)}`}`;

/**
 * The rows of two months, or of a month and a version, of each employee, as JSON texts: joined by UserId, and where there
 * is none by number and name.
 */
export async function* streamComparison(
  db: Db,
  one: RowSource,
  other: RowSource,
  filter: ComparisonFilter,
): AsyncGenerator<string[]> {
  const statement = startStatement();
  const text = `
    select json_build_object('workName', coalesce(one.name, two.name), 'userId', coalesce(one.user_id, two.user_id),
      'workNum', coalesce(one.work_number, two.work_number), 'department', coalesce(one.department, two.department))::text as who,
      one.data::text as one, one.id_card as "oneCard", two.data::text as two, two.id_card as "twoCard"
    from (${sideOf(statement, one, filter)}) as one full join (${sideOf(statement, other, filter)}) as two using (identity, twin)
    ${filter.changed ? `where ${toDifference(statement, filter.changed)}` : ""}
    order by coalesce(one.department, two.department) collate "C", coalesce(one.work_number, two.work_number) collate "C",
      coalesce(one.name, two.name) collate "C", identity, twin`;
  for await (const batch of statement.stream<Pair>(db, text, streamedRows))
    yield batch.flatMap(({ who, one: data, oneCard, two, twoCard }) => {
      const month = toRow(db, data, oneCard);
      const before = toRow(db, two, twoCard);
      // No two cards are sealed alike: where they are sealed, the database takes more rows for changed than are.
      if (filter.changed === "row" && month === before) return [];
      return [`${who.slice(0, -1)}, "month": ${month}, "with": ${before}}`];
    });
}

interface Pair {
  readonly who: string;
  readonly one: string | null;
  readonly oneCard: string | null;
  readonly two: string | null;
  readonly twoCard: string | null;
}

const toRow = (db: Db, data: string | null, idCard: string | null): string =>
  data === null ? "null" : openRow(db.keys, { data, idCard: idCard ?? "" });
