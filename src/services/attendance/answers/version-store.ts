import type { Bilingual } from "#platform/contract/language.ts";
import { explain, found } from "#platform/contract/problem.ts";
import { type Db, sql, Within } from "#platform/database/index.ts";
import { listStanding } from "#services/attendance/corrections/store.ts";
import { describeCorrection } from "#services/attendance/corrections/describe.ts";
import { type Covered, type Period, toCovered } from "#services/attendance/days.ts";
import type { FigurePlan } from "#services/attendance/figures.ts";
import { listMonthWarnings } from "#services/attendance/import/warnings.ts";
import type { AnalysisSettings, Day } from "#services/attendance/model.ts";
import { findMonth, type MonthState, readBasis } from "#services/attendance/month-store.ts";
import { places } from "#services/attendance/scope-contract.ts";

export type FinishedMonth = MonthState & { readonly settings: AnalysisSettings };

/** @throws {Problem} notFound until the analysis has finished */
export function requireFinished(month: string, state: MonthState | undefined): FinishedMonth {
  if (state?.statu !== 2 || !state.settings)
    throw explain("notFound", `${month} 尚未完成分析`, `${month} has not been analysed`);
  return { ...state, settings: state.settings };
}

export const getFinished = async (db: Db, month: string): Promise<FinishedMonth> =>
  requireFinished(month, await findMonth(db, month));

export async function getVersion(db: Db, id: number, within: Within): Promise<VersionRow> {
  const version = found(await findVersion(db, id));
  // Warnings and corrections name people of all departments, so users with a scope do not get them.
  return within.isEverywhere ? version : { ...version, warnings: [], corrections: [] };
}

export interface MonthNotes extends Period {
  readonly settings: AnalysisSettings;
  readonly units: FigurePlan["units"];
  readonly extra: FigurePlan["extra"];
  readonly covered: readonly Covered[];
  readonly warnings: readonly Bilingual[];
  readonly corrections: readonly Bilingual[];
}

/** Bounds the memory of a workbook's notes; a month with this many warnings has a wrong sheet. */
const mostNoted = 100_000;

export async function noteMonth(db: Db, state: FinishedMonth, today: Day, within: Within): Promise<MonthNotes> {
  const { month, periodStart, settings, spans } = state;
  const { units, extra } = (await readBasis(db, state)).plan;
  const warnings = await listMonthWarnings(db, state, today, within, mostNoted);
  const corrections = (await listStanding(db, month, within)).map(describeCorrection);
  return { month, periodStart, settings, units, extra, covered: toCovered(spans), warnings, corrections };
}

interface NewVersion extends MonthNotes {
  readonly note: string;
  readonly lockedBy: string;
}

export interface VersionRow extends NewVersion {
  readonly id: number;
  readonly number: number;
  readonly employees: number;
  readonly lockedAt: Date;
  readonly unlockedAt: Date | null;
  readonly unlockedBy: string | null;
  readonly reason: string | null;
}

export async function insertVersion(tx: Db, version: NewVersion): Promise<number> {
  const { month, note, settings, units, extra, covered, warnings, corrections, lockedBy } = version;
  const [row] = await tx<{ id: number }[]>`
    insert into attendance.version (month, number, note, employees, settings, units, extra, covered, warnings, corrections, locked_by)
    select ${month}, (select count(*) + 1 from attendance.version where month = ${month}), ${note},
      (select count(*) from attendance.result where month = ${month}), ${JSON.stringify(settings)}, ${JSON.stringify({ ...units })},
      ${JSON.stringify(extra)}, ${JSON.stringify(covered)}, ${JSON.stringify(warnings)}, ${JSON.stringify(corrections)}, ${lockedBy}
    returning id`;
  if (!row) throw new Error("an insert returned no row");
  await tx`
    insert into attendance.version_row (version_id, row, name, user_id, work_number, group_name, department, data, extra, id_card)
    select ${row.id}, row, name, user_id, work_number, group_name, department, data, extra, id_card
    from attendance.result where month = ${month}`;
  await tx`update attendance.month set version_id = ${row.id} where month = ${month}`;
  return row.id;
}

export async function closeVersion(tx: Db, id: number, reason: string, unlockedBy: string): Promise<void> {
  await tx`
    update attendance.version set unlocked_at = now(), unlocked_by = ${unlockedBy}, reason = ${reason} where id = ${id}`;
  await tx`update attendance.month set version_id = null where version_id = ${id}`;
}

const employeesWithin = (within: Within) =>
  within.isEverywhere
    ? sql`employees`
    : sql`(select count(*) from attendance.version_row where version_id = version.id ${within.and(places)})::int as employees`;

const columnsWithin = (within: Within) => sql`
  id, month, (select period_start from attendance.month where month.month = version.month) as "periodStart", number, note, ${employeesWithin(within)}, settings, units, extra, covered, warnings, corrections, locked_at as "lockedAt", locked_by as "lockedBy",
  unlocked_at as "unlockedAt", unlocked_by as "unlockedBy", reason`;
const columns = columnsWithin(Within.everywhere);

export async function listVersions(db: Db, month: string, within: Within): Promise<VersionRow[]> {
  return db<VersionRow[]>`
    select ${columnsWithin(within)} from attendance.version where month = ${month} order by number desc`;
}

export const findVersion = (db: Db, id: number): Promise<VersionRow | undefined> =>
  db.first<VersionRow>`select ${columns} from attendance.version where id = ${id}`;

export async function listLocked(db: Db): Promise<ReadonlyMap<string, VersionRow>> {
  const rows = await db<VersionRow[]>`
    select ${columns} from attendance.version where id in (select version_id from attendance.month)`;
  return new Map(rows.map((row) => [row.month, row]));
}
