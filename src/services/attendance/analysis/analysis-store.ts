import { type Bilingual, countOf } from "#platform/contract/language.ts";
import { toStorable } from "#platform/contract/storable-text.ts";
import { type Db, sql, toCopyLine, type Within } from "#platform/database/index.ts";
import type { AnalysisSettings, Person, Summary } from "#services/attendance/model.ts";
import { countDepartments, type MonthState } from "#services/attendance/month-store.ts";
import { places } from "#services/attendance/scope-contract.ts";
import type { StoredRow } from "#services/attendance/stored-rows.ts";
import type { Difference } from "./against-export.ts";
import type { Candidate, FoundBy } from "./people.ts";

// A run is divided into parts, each for some of the employees. The results of a part are committed together with the
// mark that the part is done, so a part can be retried.

/** `numbers[n]` is the person's number in the import `imports[n]`. */
export interface SheetPerson extends Candidate {
  readonly imports: readonly number[];
  readonly numbers: readonly number[];
  readonly rows: number;
}

export type JoinedBy = FoundBy | "match";

export interface Pair {
  readonly person: SheetPerson;
  readonly employee: number;
  readonly by: JoinedBy;
}

export const toResultLine = (
  month: string,
  { employee, name, userId, workNumber, group, department, extra }: Summary,
  { data, idCard }: StoredRow,
  warnings: readonly Bilingual[],
): string => {
  const who = [month, employee, name, userId, workNumber, group, department];
  return toCopyLine([...who, data, JSON.stringify(extra), idCard, JSON.stringify(warnings)]);
};

/**
 * Starts a run, which supersedes any other run of the month, and returns its number. The caller must have locked the
 * month.
 */
export async function beginRun(tx: Db, month: string, settings: AnalysisSettings): Promise<number> {
  await undoAnalysis(tx, month);
  const [row] = await tx<{ run: number }[]>`
    update attendance.month set statu = 1, run = nextval('attendance.run'), settings = ${JSON.stringify(settings)}
    where month = ${month} returning run`;
  if (!row) throw new Error("the month does not exist");
  return row.run;
}

export async function undoAnalysis(tx: Db, month: string): Promise<void> {
  await tx`
    update attendance.month set statu = 0, run = null, settings = null, parts = null, warnings = '[]', analysed_at = null,
      identity_import = null
    where month = ${month}`;
  for (const table of ["result", "match", "part"])
    await tx`delete from ${sql.identifier(`attendance.${table}`)} where month = ${month}`;
}

export async function savePeopleWarnings(tx: Db, month: string, warnings: readonly Bilingual[]): Promise<void> {
  await tx`update attendance.month set warnings = ${JSON.stringify(warnings)} where month = ${month}`;
}

export async function claim(tx: Db, run: number, part: number | "join"): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`attendance ${run}/${part}`}, 0))`;
}

export async function listPeople(db: Db, imports: readonly number[]): Promise<SheetPerson[]> {
  return db<SheetPerson[]>`
    select name, user_id as "userId", work_number as "workNumber", nullif(group_name, '') as "group", array_agg(import_id) as imports, array_agg(person) as numbers,
      sum(rows)::int as rows
    from attendance.person where import_id = any(${[...imports]}::bigint[])
    group by name, user_id, work_number, group_name order by min(import_id), min(person)`;
}

export async function insertMatches(tx: Db, month: string, pairs: readonly Pair[]): Promise<void> {
  const rows = pairs.flatMap(({ person, employee, by }) =>
    person.imports.map((importId, index) => ({ importId, person: person.numbers[index] ?? 0, employee, by })),
  );
  await tx`
    insert into attendance.match (month, import_id, person, employee, found_by)
    select ${month}, import_id, person, employee, found_by
    from unnest(${rows.map(({ importId }) => importId)}::bigint[], ${rows.map(({ person }) => person)}::int[],
      ${rows.map(({ employee }) => employee)}::int[], ${rows.map(({ by }) => by)}::text[]) as pairs (import_id, person, employee, found_by)`;
}

export interface JoinedPerson extends Person {
  readonly sheet: "daily" | "original" | "work";
  readonly rows: number;
  readonly by: JoinedBy | null;
}

export async function listJoinedPeople(db: Db, month: string, employee: number): Promise<JoinedPerson[]> {
  return db<JoinedPerson[]>`
    select case import.sheet when 'month' then 'daily' else import.sheet end as sheet,
      name, user_id as "userId", work_number as "workNumber", sum(person.rows)::int as rows, found_by as by
    from attendance.match
      join attendance.person using (import_id, person)
      join attendance.import on import.id = import_id
    where match.month = ${month} and employee = ${employee}
    group by 1, name, user_id, work_number, found_by order by 1, name`;
}

interface JoinedMonth {
  readonly month: string;
  /** The import of identity cards that the run uses. It must not be deleted. */
  readonly workImport: number | null;
  readonly employees: number;
  readonly warnings: readonly Bilingual[];
}

export async function insertParts(tx: Db, run: number, joined: JoinedMonth, most: number): Promise<number> {
  const { month, workImport, employees, warnings } = joined;
  const parts = Math.ceil(employees / most);
  await tx`
    insert into attendance.part (run, part, month, first_row, last_row, employees)
    select ${run}, part, ${month}, part * ${most} + 1, least((part + 1) * ${most}, ${employees}),
      least(${most}, ${employees} - part * ${most})
    from generate_series(0, ${parts}::int - 1) as part`;
  await tx`
    update attendance.month set parts = ${parts}, identity_import = ${workImport}, warnings = ${JSON.stringify(warnings)}
    where month = ${month}`;
  return parts;
}

export const findOpenPart = (db: Db, run: number, part: number) =>
  db.first<{ first: number; last: number }>`
    select first_row as first, last_row as last from attendance.part where run = ${run} and part = ${part} and not done`;

// This limits the size of a row even if every address of a sheet is different.
const keptAddresses = 1000;
const longestAddress = 255;

export async function finishPart(
  tx: Db,
  run: number,
  part: number,
  found: {
    readonly addresses: ReadonlyMap<string, number>;
    readonly differences: readonly (Difference & { readonly row: number })[];
  },
): Promise<void> {
  const most = [...found.addresses]
    .sort(([, left], [, right]) => right - left)
    .slice(0, keptAddresses)
    .map(([address, count]) => [toStorable(address, longestAddress), count] as const);
  await tx`
    update attendance.part set done = true, addresses = ${JSON.stringify(most)}, differences = ${JSON.stringify(found.differences)}
    where run = ${run} and part = ${part}`;
}

export async function listStrangeAddresses(db: Db, run: number | null): Promise<{ address: string; count: number }[]> {
  return db<{ address: string; count: number }[]>`
    select mark->>0 as address, sum((mark->>1)::int)::int as count
    from attendance.part cross join json_array_elements(addresses) as each (mark)
    where run = ${run} group by mark->>0 order by 2 desc, (mark->>0) collate "C"`;
}

type RunOf = Pick<MonthState, "month" | "run">;
type NamedDifference = Pick<Person, "name" | "userId"> & Difference;

export async function countDifferences(db: Db, { month, run }: RunOf, within: Within): Promise<number> {
  const count = within.isEverywhere
    ? sql`sum(json_array_length(differences)) from attendance.part where run = ${run} and done`
    : sql`sum(differences) from attendance.department_total where month = ${month} ${within.and(places)}`;
  return db.value<number>`select coalesce((select ${count}), 0)::int`;
}

export async function listDifferences(db: Db, run: number | null, within: Within): Promise<NamedDifference[]> {
  return db<NamedDifference[]>`
    select name, user_id as "userId", figure, ours, theirs, days
    from attendance.part
      cross join rows from (json_to_recordset(differences) as (row int, figure text, ours float, theirs float, days json))
        with ordinality as found (row, figure, ours, theirs, days, place)
      join attendance.result on result.month = part.month and result.row = found.row
    where run = ${run} and done ${within.and(places)} order by part, place`;
}

/** Finishes the analysis if all parts of the run are done. The caller must have locked the month. */
export async function closeRun(tx: Db, month: string, run: number): Promise<void> {
  const isDone = await tx.count`
    update attendance.month set statu = 2, analysed_at = now()
    where month = ${month} and parts = (select count(*) from attendance.part where part.run = ${run} and done)`;
  if (isDone > 0) await countDepartments(tx, month);
}

export async function failRun(db: Db, month: string, run: number, reason: Bilingual): Promise<void> {
  await db`update attendance.month set statu = 3, run = null, warnings = ${JSON.stringify([reason])} where month = ${month} and run = ${run}`;
}

/**
 * Marks runs as failed if they have lost their jobs. A run loses a job if, for example, the process dies during the
 * last attempt of a part. A run with a running part is never marked by mistake, since the job of a part disappears only
 * after its effects are committed.
 */
export async function failLostRuns(
  db: Db,
  { joinTask, partTask }: { readonly joinTask: string; readonly partTask: string },
  reason: Bilingual,
): Promise<void> {
  await db`
    update attendance.month set statu = 3, run = null, warnings = ${JSON.stringify([reason])}
    where statu = 1 and not exists (
      select from graphile_worker.jobs
      where (key = ${joinTask} || '-' || run or key like ${partTask} || '-' || run || '-%')
        and (locked_at is not null or attempts < max_attempts))`;
}

const shownWarnings = 50;

export async function listAnalysisWarnings(
  db: Db,
  month: string,
  within: Within,
  most = shownWarnings,
): Promise<Bilingual[]> {
  const rows = await db<{ warnings: Bilingual[]; count: number }[]>`
    select warnings, sum(json_array_length(warnings)) over ()::int as count
    from attendance.result where month = ${month} and json_array_length(warnings) > 0 ${within.and(places)}
    order by row limit ${most}`;
  const shown = rows.flatMap(({ warnings }) => warnings).slice(0, most);
  const left = (rows[0]?.count ?? 0) - shown.length;
  return left > 0 ? [...shown, { zh: `另有 ${left} 条提醒`, en: countOf(left, "more warning") }] : shown;
}
