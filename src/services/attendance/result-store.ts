import type { Db, Pool } from "#platform/database.ts";
import type { Bilingual } from "#platform/language.ts";
import { startStatement } from "#platform/statement.ts";
import type { Person } from "./model.ts";

export interface ResultFilter {
  readonly department?: string | undefined;
  readonly group?: string | undefined;
  /** Stands anywhere in the name. */
  readonly name?: string | undefined;
}

// Unlike the database's own order, this one is the same on every server.
const order = `department collate "C", work_number collate "C", name collate "C", row`;

function toCondition(month: string, { department, group, name }: ResultFilter) {
  const statement = startStatement();
  const conditions = [`month = ${statement.value(month)}`];
  if (department !== undefined) conditions.push(`department = ${statement.value(department)}`);
  if (group !== undefined) conditions.push(`group_name = ${statement.value(group)}`);
  if (name !== undefined) conditions.push(`position(lower(${statement.value(name)}) in lower(name)) > 0`);
  return { statement, where: conditions.join(" and ") };
}

export interface ResultSpan {
  readonly offset: number;
  readonly limit: number;
}

const streamedRows = 200;

/** The summary rows as JSON texts, a batch at a time. */
export async function* streamResults(
  pool: Pool,
  month: string,
  filter: ResultFilter,
  span?: ResultSpan,
): AsyncGenerator<string[]> {
  const { statement, where } = toCondition(month, filter);
  const page = span ? `limit ${span.limit} offset ${span.offset}` : "";
  const rows = statement.run<{ data: string }>(
    pool,
    `select data::text as data from attendance.result where ${where} order by ${order} ${page}`,
  );
  for await (const batch of rows.cursor(streamedRows)) yield batch.map(({ data }) => data);
}

export async function countResults(db: Db, month: string, filter: ResultFilter): Promise<number> {
  const { statement, where } = toCondition(month, filter);
  const [row] = await statement.run<{ count: number }>(
    db,
    `select count(*) as count from attendance.result where ${where}`,
  );
  return row?.count ?? 0;
}

export interface FoundResult extends Person {
  readonly row: number;
}

/** The employees of an analysed month who are meant: by UserId, number or name, whichever are given. */
export async function findResults(
  db: Db,
  month: string,
  { userId, workNumber, name }: Partial<Record<keyof Person, string | undefined>>,
): Promise<FoundResult[]> {
  const statement = startStatement();
  const conditions = [`month = ${statement.value(month)}`];
  if (userId !== undefined) conditions.push(`user_id = ${statement.value(userId)}`);
  if (workNumber !== undefined) conditions.push(`work_number = ${statement.value(workNumber)}`);
  if (name !== undefined) conditions.push(`name = ${statement.value(name)}`);
  return statement.run<FoundResult>(
    db,
    `select row, name, user_id as "userId", work_number as "workNumber" from attendance.result where ${conditions.join(" and ")} order by row limit 2`,
  );
}

const shownWarnings = 50;

/** What the analysis of a month found odd: the first warnings in the order of the month sheet, and how many are left. */
export async function listAnalysisWarnings(db: Db, month: string): Promise<Bilingual[]> {
  const warned = db`from attendance.result where month = ${month} and json_array_length(warnings) > 0`;
  const [counted] = await db<
    { count: number }[]
  >`select coalesce(sum(json_array_length(warnings)), 0)::int as count ${warned}`;
  const rows = await db<{ warnings: Bilingual[] }[]>`select warnings ${warned} order by row limit ${shownWarnings}`;
  const shown = rows.flatMap(({ warnings }) => warnings).slice(0, shownWarnings);
  const left = (counted?.count ?? 0) - shown.length;
  return left > 0 ? [...shown, { zh: `另有 ${left} 条提醒`, en: `${left} more warnings` }] : shown;
}

/** Two months' rows of each employee, as JSON texts: joined by UserId, and where there is none by number and name. */
export async function* streamComparison(
  pool: Pool,
  month: string,
  other: string,
  department: string | undefined,
): AsyncGenerator<string[]> {
  const statement = startStatement();
  const of = (which: string) => `
    select *, case when user_id <> '' then user_id else '/' || work_number || '/' || name end as identity,
      row_number() over (partition by user_id, case when user_id = '' then work_number || '/' || name end order by row) as twin
    from attendance.result where month = ${statement.value(which)} ${department === undefined ? "" : `and department = ${statement.value(department)}`}`;
  const text = `
    select json_build_object('workName', coalesce(one.name, two.name), 'userId', coalesce(one.user_id, two.user_id),
      'workNum', coalesce(one.work_number, two.work_number), 'department', coalesce(one.department, two.department),
      'month', one.data, 'with', two.data)::text as data
    from (${of(month)}) as one full join (${of(other)}) as two using (identity, twin)
    order by coalesce(one.department, two.department) collate "C", coalesce(one.work_number, two.work_number) collate "C", coalesce(one.name, two.name) collate "C", identity, twin`;
  for await (const batch of statement.run<{ data: string }>(pool, text).cursor(streamedRows))
    yield batch.map(({ data }) => data);
}

export interface ResultCount {
  readonly sheet: "original" | "daily";
  readonly result: string;
  readonly count: number;
}

interface SheetImports {
  readonly monthImport: number | null;
  readonly originalImport: number | null;
}

const spoken = (db: Db, { monthImport, originalImport }: SheetImports) => db`
  select 'original' as sheet, result, name, day, row from attendance.punch where import_id = ${originalImport}
  union all
  select 'daily', slot->>'result', name, day, row
  from attendance.daily cross join json_array_elements(slots) as each (slot) where import_id = ${monthImport}`;

/** How often each result text stands in the sheets. */
export async function countSheetResults(db: Db, imports: SheetImports): Promise<ResultCount[]> {
  return db<ResultCount[]>`
    select sheet, result, count(*)::int as count from (${spoken(db, imports)}) as spoken
    where result <> '' group by sheet, result order by sheet desc, count(*) desc, result`;
}

/** The first places where a result text stands. */
export async function listResultPlaces(
  db: Db,
  imports: SheetImports,
  { sheet, result }: ResultCount,
): Promise<string[]> {
  const rows = await db<{ place: string }[]>`
    select name || ' ' || day as place from (${spoken(db, imports)}) as spoken
    where sheet = ${sheet} and result = ${result} order by row limit 3`;
  return rows.map(({ place }) => place);
}
