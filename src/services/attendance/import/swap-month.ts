import type { Bilingual } from "#platform/contract/language.ts";
import type { Db } from "#platform/database/index.ts";
import { savePeopleWarnings, undoAnalysis } from "#services/attendance/analysis/analysis-store.ts";
import { joinSheets, warnOfPeople } from "#services/attendance/analysis/join-sheets.ts";
import { composeRoster } from "#services/attendance/analysis/roster-store.ts";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { countPunches, takeDays } from "#services/attendance/coverage-store.ts";
import type { Day, Span } from "#services/attendance/model.ts";
import { addMonth, holdMonth, type MonthState, refuseLocked } from "#services/attendance/month-store.ts";
import { nameIdentities, noteMonthSheet, saveMonthWarnings } from "./import-store.ts";
import { tellDays } from "./told.ts";

export interface Swap {
  readonly id: number;
  readonly sheet: ImportSheet;
  readonly month: string;
  /** The days that it gives of each sheet. */
  readonly covered: readonly Span[];
  /** What there is to tell of its rows by the settings as they are. */
  readonly present: readonly Bilingual[];
  readonly today: Day;
}

/** What a month is after a swap, and what there is to tell of it. */
export interface Swapped {
  readonly spans: readonly Span[];
  readonly warnings: readonly Bilingual[];
}

/**
 * Gives the days of an import to the month. What was analysed is gone with the rows it was made of; the rows themselves
 * are removed later, since readers may still be at them.
 * @throws {Problem} notAllowedNow where the month is locked; a list of identity cards leaves that as it is.
 */
export async function swapMonth(tx: Db, swap: Swap): Promise<Swapped> {
  const { id, sheet, month, covered, present, today } = swap;
  await addMonth(tx, month);
  const before = await holdMonth(tx, month);
  if (!before) throw new Error("a month went while it was held");
  if (sheet === "work") await nameIdentities(tx, month, id);
  else refuseLocked(before);
  if (before.version !== null) return { spans: before.spans, warnings: [] };
  for (const span of covered) await takeDays(tx, before, span);
  await undoAnalysis(tx, month);
  if (sheet === "month") await noteMonthSheet(tx, month);
  const { state, people } = await recompose(tx, month, sheet === "month");
  const warnings = [...(sheet === "work" ? [] : await tellDays(tx, state, today)), ...present, ...people];
  await saveMonthWarnings(tx, id, warnings);
  return { spans: state.spans, warnings };
}

/** Puts the people of a held month together anew, and notes what there is to tell of them. */
export async function recompose(
  tx: Db,
  month: string,
  isRosterNew: boolean,
): Promise<{ state: MonthState; people: Bilingual[] }> {
  const changed = await holdMonth(tx, month);
  if (!changed) throw new Error("a month went while it was held");
  if (isRosterNew) await composeRoster(tx, month, changed.spans);
  await countPunches(tx, month);
  const { employees, sheets } = await joinSheets(tx, changed);
  const people = warnOfPeople(employees, sheets);
  await savePeopleWarnings(tx, month, people);
  return { state: { ...changed, total: employees.length }, people };
}
