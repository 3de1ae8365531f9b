import type { Bilingual } from "#platform/contract/language.ts";
import { toStorable } from "#platform/contract/storable-text.ts";
import {
  type PageWithTotal,
  type Db,
  inLongTransaction,
  type Pool,
  type Session,
  sql,
} from "#platform/database/index.ts";
import type { Range } from "#platform/contract/sorting.ts";
import type { RowFault } from "#platform/workbooks/import-problems.ts";
import type { ImportSheet } from "#services/attendance/record-contract.ts";
import { type DayRun, writeDay } from "#services/attendance/days.ts";
import type { ColumnKinds } from "#services/attendance/figures.ts";
import type { DatedSheet, Span } from "#services/attendance/model.ts";

// Each process sends a heartbeat for its imports twice a second, which distinguishes an import whose process has ended
// from a slow one.

const silenceSeconds = 15;

export interface ImportProgress {
  phase: "waiting" | "reading" | "storing";
  month: string | null;
  bytesRead: number;
  rows: number;
}

export interface ImportFindings {
  readonly rows: number;
  readonly skipped: number;
  readonly employees: number;
  readonly warnings: readonly Bilingual[];
  readonly days: DayRun | undefined;
  readonly figures: ColumnKinds;
  /** The sheets that the file lacks and that are derived from another sheet (A1a). */
  readonly standIns: readonly DatedSheet[];
}

export interface ImportRow {
  readonly id: number;
  readonly sheet: ImportSheet;
  readonly fileName: string;
  readonly month: string | null;
  readonly phase: "waiting" | "reading" | "storing" | "done";
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly rows: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: "done" | "failed" | "interrupted" | null;
  readonly warnings: Bilingual[];
  readonly errors: RowFault[];
  readonly spans: readonly Span[];
}

export const insertImport = (
  db: Db,
  given: { sheet: ImportSheet; fileName: string; bytesTotal: number; month: string | null },
): Promise<number> =>
  db.value<number>`
    insert into attendance.import (sheet, file_name, bytes_total, month)
    values (${given.sheet}, ${given.fileName}, ${given.bytesTotal}, ${given.month}) returning id`;

/**
 * Saves progress, which is also the heartbeat.
 * @returns false if the import's rows were deleted because its heartbeat had stopped
 */
export async function saveProgress(db: Db, id: number, now: Readonly<ImportProgress>): Promise<boolean> {
  const { phase, month, bytesRead, rows } = now;
  const [row] = await db<{ isKept: boolean }[]>`
    update attendance.import set phase = ${phase}, month = ${month}, bytes_read = ${bytesRead}, rows = ${rows}, alive_at = now()
    where id = ${id} and ended_at is null returning holds_rows as "isKept"`;
  return row?.isKept ?? true;
}

/** @returns false, without effect, if the import's rows were deleted */
export async function finishImport(tx: Db, id: number, month: string, found: ImportFindings): Promise<boolean> {
  const [firstDay, lastDay] = found.days ? [found.days.firstDay, found.days.lastDay].map(writeDay) : [null, null];
  const count = await tx.count`
    update attendance.import set phase = 'done', outcome = 'done', ended_at = now(), month = ${month}, bytes_read = bytes_total,
      rows = ${found.rows}, skipped = ${found.skipped}, employees = ${found.employees}, warnings = ${toJson(found.warnings)},
      first_day = ${firstDay ?? null}, last_day = ${lastDay ?? null}, figures = ${JSON.stringify({ ...found.figures })},
      stand_ins = ${[...found.standIns]}
    where id = ${id} and holds_rows`;
  return count > 0;
}

export async function saveMonthWarnings(tx: Db, id: number, warnings: readonly Bilingual[]): Promise<void> {
  await tx`update attendance.import set month_warnings = ${toJson(warnings)} where id = ${id}`;
}

/**
 * Marks the import as failed, and sets `holds_rows`, so that `removeOldRows` deletes its rows. If rows were already
 * deleted during the import, those copied since then are deleted too.
 */
export async function failImport(db: Db, id: number, reason: Bilingual, errors: readonly RowFault[]): Promise<void> {
  await db`
    update attendance.import set phase = 'done', outcome = 'failed', ended_at = now(), warnings = ${toJson([reason])}, errors = ${toJson(errors)},
      holds_rows = true
    where id = ${id} and ended_at is null`;
}

/** Messages may quote any text of a workbook, so characters that PostgreSQL cannot store are removed or replaced. */
const toJson = (value: readonly object[]): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === "string" ? toStorable(part) : part));

const columns = sql`
  id, sheet, file_name as "fileName", month, phase, bytes_read as "bytesRead", bytes_total as "bytesTotal", rows,
  started_at as "startedAt", ended_at as "endedAt",
  (warnings::jsonb || month_warnings::jsonb)::json as warnings, errors,
  coalesce((
    select json_agg(json_build_object('sheet', span.sheet, 'importId', import_id, 'isStandIn', span.sheet = any(stand_ins),
      'firstDay', span.first_day - date '1970-01-01', 'lastDay', span.last_day - date '1970-01-01') order by span.first_day)
    from attendance.span where import_id = import.id), '[]') as spans,
  coalesce(outcome, case when alive_at < now() - make_interval(secs => ${silenceSeconds}) then 'interrupted' end) as outcome`;

export const findImport = (db: Db, id: number): Promise<ImportRow | undefined> =>
  db.first<ImportRow>`select ${columns} from attendance.import where id = ${id}`;

export async function listImports(
  db: Db,
  { month, sheet }: { readonly month?: string | undefined; readonly sheet?: ImportSheet | undefined },
  { descending, offset, limit }: Range,
): Promise<PageWithTotal<ImportRow>> {
  const direction = descending ? sql`desc` : sql`asc`;
  const conditions = [
    ...(month === undefined ? [] : [sql`month = ${month}`]),
    ...(sheet === undefined ? [] : [sql`sheet = ${sheet}`]),
  ];
  const wanted = sql`attendance.import where ${sql.join([sql`true`, ...conditions], " and ")}`;
  const rows = await db<ImportRow[]>`
    select ${columns} from ${wanted} order by id ${direction} limit ${limit} offset ${offset}`;
  return { rows, totalCount: await db.value<number>`select count(*) from ${wanted}` };
}

const lockSpace = 41_004;

export async function reserveMonth(connection: Session, month: string): Promise<void> {
  await connection`select pg_advisory_lock(${lockSpace}::int, ${Number(month.replace("-", ""))}::int)`;
}

export async function releaseMonths(connection: Session): Promise<void> {
  await connection`select pg_advisory_unlock_all()`;
}

const sources = { original: "punch", month: "daily", work: "identity" } as const;

export async function insertPeople(db: Db, id: number, sheet: ImportSheet): Promise<number> {
  const group = sheet === "work" ? sql`''` : sql`group_name`;
  await db`
    insert into attendance.person (import_id, person, name, user_id, work_number, group_name, rows)
    select ${id}, row_number() over (), name, user_id, work_number, ${group}, count(*)
    from ${sql.identifier(`attendance.${sources[sheet]}`)} where import_id = ${id} group by 3, 4, 5, 6`;
  return countPeople(db, [id]);
}

export const countPeople = (db: Db, ids: readonly number[]): Promise<number> =>
  db.value<number>`
    select count(distinct (name, user_id, work_number)) from attendance.person where import_id = any(${[...ids]}::bigint[])`;

export async function countWithoutUserId(db: Db, id: number, sheet: "month" | "original"): Promise<number> {
  const table = sheet === "month" ? "employee" : "person";
  return db.value<number>`
    select count(*) from ${sql.identifier(`attendance.${table}`)} where import_id = ${id} and user_id = ''`;
}

export async function listNamesakes(db: Db, id: number, sheet: "month" | "work"): Promise<string[]> {
  const table = sheet === "month" ? "employee" : "identity";
  return db.values<string>`
    select name from ${sql.identifier(`attendance.${table}`)} where import_id = ${id} group by name having count(*) > 1 order by min(row) limit 20`;
}

export async function nameIdentities(tx: Db, month: string, id: number): Promise<void> {
  await tx`update attendance.month set work_import = ${id} where month = ${month}`;
}

export async function noteMonthSheet(tx: Db, month: string): Promise<void> {
  await tx`update attendance.month set imported_at = now() where month = ${month}`;
}

export async function listFileWarnings(
  db: Db,
  month: string,
): Promise<{ sheet: DatedSheet; importId: number; warnings: Bilingual[] }[]> {
  return db<{ sheet: DatedSheet; importId: number; warnings: Bilingual[] }[]>`
    select distinct on (id) import.sheet, id as "importId", warnings
    from attendance.import join attendance.span on import_id = id
    where span.month = ${month} order by id`;
}

const isOld = sql`
  holds_rows and (ended_at is not null or alive_at < now() - make_interval(secs => ${silenceSeconds}))
      and not exists (select from attendance.span where import_id = import.id)
      and not exists (select from attendance.month where import.id in (work_import, identity_import))`;

export async function removeOldRows(pool: Pool): Promise<void> {
  const old = await pool<{ id: number }[]>`select id from attendance.import where ${isOld}`;
  for (const { id } of old)
    await inLongTransaction(pool, async (tx) => {
      // A transaction that is adding this import to a month has locked the import's row, which is then skipped here.
      const held = await tx`select from attendance.import where id = ${id} for update skip locked`;
      const still = await tx`select from attendance.import where id = ${id} and ${isOld}`;
      if (held.length === 0 || still.length === 0) return;
      for (const table of ["employee", "daily", "punch", "identity", "person"])
        await tx`delete from ${sql.identifier(`attendance.${table}`)} where import_id = ${id}`;
      await tx`update attendance.import set holds_rows = false where id = ${id}`;
    });
}
