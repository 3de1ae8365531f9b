import { type Db, startStatement, type Statement } from "#platform/database/index.ts";
import type { Person } from "#services/attendance/model.ts";
import { openRow, type StoredRow } from "#services/attendance/sealed.ts";

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
export const toRows = (statement: Statement, source: RowSource): string =>
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

export interface ResultSpan {
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

export interface FoundResult {
  readonly employee: number;
  readonly group: string;
}

/** Who is asked for: by UserId, number, name or group, whichever are given. */
export type Wanted = Partial<Record<keyof Person | "group", string | undefined>>;

/** The employees of an analysed month who are meant, the first hundred. */
export async function findResults(
  db: Db,
  month: string,
  { userId, workNumber, name, group }: Wanted,
): Promise<FoundResult[]> {
  const statement = startStatement();
  const conditions = [`month = ${statement.value(month)}`];
  if (userId !== undefined) conditions.push(`user_id = ${statement.value(userId)}`);
  if (workNumber !== undefined) conditions.push(`work_number = ${statement.value(workNumber)}`);
  if (name !== undefined) conditions.push(`name = ${statement.value(name)}`);
  if (group !== undefined) conditions.push(`group_name = ${statement.value(group)}`);
  return statement.run<FoundResult>(
    db,
    `select row as employee, group_name as "group" from attendance.result where ${conditions.join(" and ")} order by row limit 100`,
  );
}
