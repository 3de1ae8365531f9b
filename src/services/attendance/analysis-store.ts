import type { Db } from "#platform/database.ts";
import type { Bilingual } from "#platform/language.ts";
import { toCopyLine } from "#platform/copy-in.ts";
import { copyText } from "./copy.ts";
import type { AnalysisSettings, MonthRow, Person } from "./model.ts";

// An analysis is a run with a number. It has parts of employees; a part's results, and that it is done, become true in
// one transaction, so a part may be tried by anybody, any number of times.

/** Somebody whom the rows of a sheet are about. */
export interface SheetPerson extends Person {
  readonly person: number;
  readonly rows: number;
}

export interface Part {
  readonly part: number;
  readonly firstRow: number;
  readonly lastRow: number;
  readonly employees: number;
}

/** What the analysis makes of an employee, as one line of COPY. */
export type ResultLine = string;

/** @param data the summary row as it goes out */
export const toResultLine = (
  month: string,
  { row, name, userId, workNumber, group, department }: Omit<MonthRow, "copied" | "days">,
  data: object,
  warnings: readonly Bilingual[],
): ResultLine =>
  toCopyLine([month, row, name, userId, workNumber, group, department, JSON.stringify(data), JSON.stringify(warnings)]);

/** Begins a run in place of any other. The month must be locked. */
export async function beginRun(tx: Db, month: string, settings: AnalysisSettings): Promise<number> {
  const [row] = await tx<{ run: number }[]>`
    update attendance.month set statu = 1, run = nextval('attendance.run'), settings = ${tx.json(settings as never)}, parts = null, warnings = '[]',
      analysed_at = null
    where month = ${month} returning run`;
  for (const table of ["result", "match", "part"])
    await tx`delete from ${tx(`attendance.${table}`)} where month = ${month}`;
  if (!row) throw new Error("there is no such month");
  return row.run;
}

const claimKey = (run: number, part: number | "join"): string => `attendance ${run}/${part}`;

/** Waits until nobody else is at that part of the run. The claim ends with the transaction, however that ends. */
export async function claim(tx: Db, run: number, part: number | "join"): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${claimKey(run, part)}, 0))`;
}

export async function listPeople(db: Db, importId: number | null): Promise<SheetPerson[]> {
  return db<SheetPerson[]>`
    select person, name, user_id as "userId", work_number as "workNumber", rows from attendance.person
    where import_id = ${importId} order by person`;
}

/** Everybody of a month sheet, without the columns. */
export async function listEmployeeNames(db: Db, importId: number | null): Promise<(Person & { row: number })[]> {
  return db<(Person & { row: number })[]>`
    select row, name, user_id as "userId", work_number as "workNumber" from attendance.employee where import_id = ${importId} order by row`;
}

/** Notes which employee each person of a sheet is. */
export async function insertMatches(
  tx: Db,
  month: string,
  importId: number,
  pairs: readonly { person: number; employee: number }[],
): Promise<void> {
  await tx`
    insert into attendance.match (month, import_id, person, employee)
    select ${month}, ${importId}, person, employee
    from unnest(${pairs.map(({ person }) => person)}::int[], ${pairs.map(({ employee }) => employee)}::int[]) as pairs (person, employee)`;
}

/** Cuts the run into parts, which nobody has done yet. */
export async function insertParts(
  tx: Db,
  month: string,
  run: number,
  parts: readonly Part[],
  warnings: readonly Bilingual[],
): Promise<void> {
  const rows = parts.map(({ part, firstRow, lastRow, employees }) => ({
    run,
    part,
    month,
    first_row: firstRow,
    last_row: lastRow,
    employees,
  }));
  if (rows.length > 0) await tx`insert into attendance.part ${tx(rows)}`;
  await tx`update attendance.month set parts = ${parts.length}, warnings = ${tx.json(warnings)} where month = ${month}`;
}

export async function findOpenPart(db: Db, run: number, part: number): Promise<Part | undefined> {
  const [row] = await db<Part[]>`
    select part, first_row as "firstRow", last_row as "lastRow", employees from attendance.part where run = ${run} and part = ${part} and not done`;
  return row;
}

/** Stores a part's results, which count if the month still has the run at the end of the transaction. */
export const storeResults = (tx: Db, results: readonly Buffer[]): Promise<void> => copyText(tx, "results", results);

/** Marks a part done; the month, which must be locked, is finished with its last part. */
export async function finishPart(tx: Db, month: string, run: number, part: number): Promise<void> {
  await tx`update attendance.part set done = true where run = ${run} and part = ${part}`;
  await closeRun(tx, month, run);
}

/** Finishes the month when every part of the run is done. */
export async function closeRun(tx: Db, month: string, run: number): Promise<void> {
  await tx`
    update attendance.month set statu = 2, analysed_at = now()
    where month = ${month} and parts = (select count(*) from attendance.part where part.run = ${run} and done)`;
}

/** Gives a run up; a part that succeeds later changes nothing any more. */
export async function failRun(db: Db, month: string, run: number, reason: Bilingual): Promise<void> {
  await db`update attendance.month set statu = 3, run = null, warnings = ${db.json([reason] as never)} where month = ${month} and run = ${run}`;
}

/**
 * Gives up the runs of which no job is left that could finish them: where the last try of a part ended with its process,
 * nobody was left to say so. In one statement, since a job goes only after what it did has become true.
 */
export async function failLostRuns(
  db: Db,
  { joinTask, partTask }: { readonly joinTask: string; readonly partTask: string },
  reason: Bilingual,
): Promise<void> {
  await db`
    update attendance.month set statu = 3, run = null, warnings = ${db.json([reason] as never)}
    where statu = 1 and not exists (
      select from graphile_worker.jobs
      where (key = ${joinTask} || '-' || run or key like ${partTask} || '-' || run || '-%')
        and (locked_at is not null or attempts < max_attempts))`;
}
