import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { AnalysisSettings } from "#services/attendance/model.ts";
import { findMonth, type MonthState } from "#services/attendance/month-store.ts";
import { findVersion, type VersionRow } from "./version-store.ts";

/** A month that is analysed, with the settings that it was analysed with. */
export type FinishedMonth = MonthState & { readonly settings: AnalysisSettings };

/** @throws {Problem} notFound while there are no results. */
export function requireFinished(month: string, state: MonthState | undefined): FinishedMonth {
  if (state?.statu !== 2 || !state.settings)
    throw explain("notFound", `${month} 尚未完成分析`, `${month} is not analysed`);
  return { ...state, settings: state.settings };
}

/** @throws {Problem} as `requireFinished`. */
export const getFinished = async (db: Db, month: string): Promise<FinishedMonth> =>
  requireFinished(month, await findMonth(db, month));

/** What a month was when it was locked. @throws {Problem} notFound. */
export async function getVersion(db: Db, id: number): Promise<VersionRow> {
  const version = await findVersion(db, id);
  if (!version) throw new Problem("notFound");
  return version;
}
