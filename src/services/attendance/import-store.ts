import { toStorable } from "#platform/storable-text.ts";
import { type Db, inLongTransaction, type Pool } from "#platform/database.ts";
import type { RowFault } from "#platform/import-problems.ts";
import type { Bilingual } from "#platform/language.ts";
import type { ImportSheet } from "./contract.ts";

// An import, from its first byte read to its outcome. Each process says twice a second that its imports still run, so that
// one whose process was killed is told from one that is slow.

/** How long after its last sign of life an import counts as interrupted. */
const silenceSeconds = 15;

export interface ImportProgress {
  readonly phase: "waiting" | "reading" | "storing";
  readonly month: string | null;
  readonly bytesRead: number;
  readonly rows: number;
}

export interface ImportFindings {
  readonly rows: number;
  readonly skipped: number;
  readonly employees: number;
  readonly warnings: readonly Bilingual[];
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
}

export async function insertImport(
  db: Db,
  given: { sheet: ImportSheet; fileName: string; bytesTotal: number; month: string | null },
): Promise<number> {
  const [row] = await db<{ id: number }[]>`
    insert into attendance.import (sheet, file_name, bytes_total, month)
    values (${given.sheet}, ${given.fileName}, ${given.bytesTotal}, ${given.month}) returning id`;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

/**
 * How far it is; also the sign of life. An import that has ended stays as it ended.
 * @returns whether its rows are still kept: of one that was silent for too long they have been removed.
 */
export async function saveProgress(
  db: Db,
  id: number,
  { phase, month, bytesRead, rows }: ImportProgress,
): Promise<boolean> {
  const [row] = await db<{ isKept: boolean }[]>`
    update attendance.import set phase = ${phase}, month = ${month}, bytes_read = ${bytesRead}, rows = ${rows}, alive_at = now()
    where id = ${id} and ended_at is null returning holds_rows as "isKept"`;
  return row?.isKept ?? true;
}

/** Ends it well. @returns false where its rows have been removed, and nothing was done. */
export async function finishImport(tx: Db, id: number, month: string, found: ImportFindings): Promise<boolean> {
  const { count } = await tx`
    update attendance.import set phase = 'done', outcome = 'done', ended_at = now(), month = ${month}, bytes_read = bytes_total,
      rows = ${found.rows}, skipped = ${found.skipped}, employees = ${found.employees}, warnings = ${toJson(tx, found.warnings)}
    where id = ${id} and holds_rows`;
  return count > 0;
}

/** Ends it badly; whatever it has copied in since others removed its rows is to be removed, too. */
export async function failImport(db: Db, id: number, reason: Bilingual, errors: readonly RowFault[]): Promise<void> {
  await db`
    update attendance.import set phase = 'done', outcome = 'failed', ended_at = now(), warnings = ${toJson(db, [reason])}, errors = ${toJson(db, errors)},
      holds_rows = true
    where id = ${id} and ended_at is null`;
}

/** What is told may quote anything of a workbook, the names of its sheets for instance. */
const toJson = (db: Db, value: readonly object[]) =>
  db.json(
    JSON.parse(JSON.stringify(value, (_key, part: unknown) => (typeof part === "string" ? toStorable(part) : part))),
  );

const columns = (db: Db) => db`
  id, sheet, file_name as "fileName", month, phase, bytes_read as "bytesRead", bytes_total as "bytesTotal", rows,
  started_at as "startedAt", ended_at as "endedAt", warnings, errors,
  coalesce(outcome, case when alive_at < now() - make_interval(secs => ${silenceSeconds}) then 'interrupted' end) as outcome`;

export async function findImport(db: Db, id: number): Promise<ImportRow | undefined> {
  const [row] = await db<ImportRow[]>`select ${columns(db)} from attendance.import where id = ${id}`;
  return row;
}

export interface ImportPage {
  readonly month: string | undefined;
  readonly sheet: ImportSheet | undefined;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** One page of the imports that are asked for, and how many there are. Numbers rise with the time of the start. */
export async function listImports(
  db: Db,
  { month, sheet, descending, offset, limit }: ImportPage,
): Promise<{ rows: ImportRow[]; totalCount: number }> {
  const direction = descending ? db`desc` : db`asc`;
  const wanted = db`
    attendance.import where (${month ?? null}::text is null or month = ${month ?? null})
      and (${sheet ?? null}::text is null or sheet = ${sheet ?? null})`;
  const rows = await db<ImportRow[]>`
    select ${columns(db)} from ${wanted} order by id ${direction} limit ${limit} offset ${offset}`;
  const [total] = await db<{ count: number }[]>`select count(*) from ${wanted}`;
  return { rows, totalCount: total?.count ?? 0 };
}

// Any number, as long as it is this one everywhere.
const lockSpace = 41_004;

/** Waits until no other import is at the month. The lock is the connection's, and goes with it. */
export async function lockMonth(connection: Pool, month: string): Promise<void> {
  await connection`select pg_advisory_lock(${lockSpace}::int, ${Number(month.replace("-", ""))}::int)`;
}

export async function unlockMonths(connection: Pool): Promise<void> {
  await connection`select pg_advisory_unlock_all()`;
}

const sources = { original: "punch", month: "daily", work: "identity" } as const;

/** Notes who the rows of the import are about, and returns how many people that is. */
export async function insertPeople(db: Db, id: number, sheet: ImportSheet): Promise<number> {
  const rows = await db`
    insert into attendance.person (import_id, person, name, user_id, work_number, rows)
    select ${id}, row_number() over (), name, user_id, work_number, count(*)
    from ${db(`attendance.${sources[sheet]}`)} where import_id = ${id} group by name, user_id, work_number`;
  return rows.count;
}

/** How many people of the sheet have no UserId. */
export async function countWithoutUserId(db: Db, id: number, sheet: "month" | "original"): Promise<number> {
  const table = sheet === "month" ? "employee" : "person";
  const [row] = await db<
    { count: number }[]
  >`select count(*) from ${db(`attendance.${table}`)} where import_id = ${id} and user_id = ''`;
  return row?.count ?? 0;
}

/** The first names that several people of the sheet have. */
export async function listNamesakes(db: Db, id: number, sheet: "month" | "work"): Promise<string[]> {
  const table = sheet === "month" ? "employee" : "identity";
  const rows = await db<{ name: string }[]>`
    select name from ${db(`attendance.${table}`)} where import_id = ${id} group by name having count(*) > 1 order by min(row) limit 20`;
  return rows.map(({ name }) => name);
}

const places = { month: "month_import", original: "original_import", work: "work_import" } as const;

/**
 * Makes the import the one that counts for the month. What was analysed is gone with the rows it was made of; the old
 * rows themselves are removed later, since readers may still be at them.
 */
export async function swapMonth(tx: Db, month: string, sheet: ImportSheet, id: number): Promise<void> {
  await tx`insert into attendance.month (month) values (${month}) on conflict do nothing`;
  await tx`select 1 from attendance.month where month = ${month} for no key update`;
  await tx`
    update attendance.month set ${tx(places[sheet])} = ${id}, identity_import = null, statu = 0, run = null, settings = null, parts = null, warnings = '[]',
      analysed_at = null, imported_at = ${sheet === "month" ? tx`now()` : tx`imported_at`}
    where month = ${month}`;
  for (const table of ["result", "match", "part"])
    await tx`delete from ${tx(`attendance.${table}`)} where month = ${month}`;
}

const isOld = (db: Db) => db`
  holds_rows and (ended_at is not null or alive_at < now() - make_interval(secs => ${silenceSeconds}))
      and not exists (select from attendance.month where import.id in (month_import, original_import, work_import, identity_import))`;

/** Removes the rows of imports that no month names and that no process is at. */
export async function removeOldRows(pool: Pool): Promise<void> {
  const old = await pool<{ id: number }[]>`select id from attendance.import where ${isOld(pool)}`;
  for (const { id } of old) await inLongTransaction(pool, (tx) => removeRows(tx, id));
}

async function removeRows(tx: Db, id: number): Promise<void> {
  // Whoever names an import in a month holds its row until that is true for all.
  const held = await tx`select from attendance.import where id = ${id} for update skip locked`;
  const still = await tx`select from attendance.import where id = ${id} and ${isOld(tx)}`;
  if (held.length === 0 || still.length === 0) return;
  for (const table of ["employee", "daily", "punch", "identity", "person"])
    await tx`delete from ${tx(`attendance.${table}`)} where import_id = ${id}`;
  await tx`update attendance.import set holds_rows = false where id = ${id}`;
}
