import type { Db } from "#platform/database.ts";
import type { Bilingual } from "#platform/language.ts";
import { type AnalysisSettings, standardSettings } from "./model.ts";

/** 0 not started, 1 running, 2 finished, 3 failed. */
export type Statu = 0 | 1 | 2 | 3;

export interface MonthState {
  readonly month: string;
  readonly monthImport: number | null;
  readonly originalImport: number | null;
  readonly workImport: number | null;
  readonly statu: Statu;
  readonly run: number | null;
  readonly settings: AnalysisSettings | null;
  readonly total: number;
  readonly parts: number | null;
  readonly warnings: Bilingual[];
}

export interface MonthSummary {
  readonly month: string;
  readonly employees: number;
  readonly punches: number;
  readonly identities: number;
  readonly importedAt: Date | null;
  readonly statu: Statu;
  readonly analysedAt: Date | null;
}

/** The month whose month sheet was imported last in time. */
export async function findLatestMonth(db: Db): Promise<string | undefined> {
  const [row] = await db<{ month: string }[]>`
    select month from attendance.month where imported_at is not null order by imported_at desc, month_import desc limit 1`;
  return row?.month;
}

// A list of identity cards serves every month that has none of its own: staff change less often than months do. Once a
// run has joined people to a list, it is that one for as long as the run counts.
const identityImport = (db: Db) => db`
  case when parts is not null then identity_import else
    coalesce(work_import, (select work_import from attendance.month as other where work_import is not null order by work_import desc limit 1)) end`;

/** Notes which identity cards the run of a locked month joins, and so keeps them from removal. */
export async function keepIdentityImport(tx: Db, month: string, importId: number | null): Promise<void> {
  await tx`update attendance.month set identity_import = ${importId} where month = ${month}`;
}

/** A month of which something was imported; locked, nobody else changes it until the transaction ends. */
export async function findMonth(
  db: Db,
  month: string,
  lock: "locked" | "read" = "read",
): Promise<MonthState | undefined> {
  const [row] = await db<MonthState[]>`
    select month, month_import as "monthImport", original_import as "originalImport", ${identityImport(db)} as "workImport",
      statu, run, settings, parts, warnings,
      coalesce((select employees from attendance.import where id = month_import), 0) as total
    from attendance.month where month = ${month} ${lock === "locked" ? db`for no key update` : db``}`;
  return row;
}

/** Every month, newest first. */
export async function listMonths(db: Db): Promise<MonthSummary[]> {
  return db<MonthSummary[]>`
    select listed.month, coalesce(sheet.employees, 0) as employees, coalesce(original.rows, 0) as punches,
      coalesce(work.rows, 0) as identities, imported_at as "importedAt", statu, analysed_at as "analysedAt"
    from (select *, ${identityImport(db)} as joined_import from attendance.month) as listed
      left join attendance.import as sheet on sheet.id = month_import
      left join attendance.import as original on original.id = original_import
      left join attendance.import as work on work.id = joined_import
    order by listed.month desc`;
}

/** How many employees the run has analysed. */
export async function countAnalysed(db: Db, run: number | null): Promise<number> {
  const [row] = await db<{ done: number }[]>`
    select coalesce(sum(employees), 0)::int as done from attendance.part where run = ${run} and done`;
  return row?.done ?? 0;
}

/** The settings for analyses to come. */
export async function findSettings(db: Db): Promise<AnalysisSettings> {
  const [row] = await db<AnalysisSettings[]>`select campuses, bucket_edges as "bucketEdges" from attendance.settings`;
  return row ?? standardSettings;
}

export async function saveSettings(tx: Db, { campuses, bucketEdges }: AnalysisSettings): Promise<void> {
  await tx`
    insert into attendance.settings as kept (campuses, bucket_edges) values (${tx.json(campuses)}, ${bucketEdges})
    on conflict (only_row) do update set campuses = excluded.campuses, bucket_edges = excluded.bucket_edges`;
}
