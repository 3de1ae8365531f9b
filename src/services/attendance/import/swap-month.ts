import type { Bilingual } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { savePeopleWarnings, undoAnalysis } from "#services/attendance/analysis/analysis-store.ts";
import { composeRoster, joinSheets, warnOfPeople } from "#services/attendance/analysis/people-store.ts";
import type { ImportSheet } from "#services/attendance/record-contract.ts";
import { type DayRun, daysOfMonth, intersect, sheetNames } from "#services/attendance/days.ts";
import type { DatedSheet, Day, Span } from "#services/attendance/model.ts";
import {
  addMonth,
  countPunches,
  findRowDays,
  holdMonth,
  refuseLocked,
  takeDays,
} from "#services/attendance/month-store.ts";
import type { Copied, CopiedSheet } from "./copy-workbook.ts";
import { nameIdentities, noteMonthSheet, saveMonthWarnings } from "./import-store.ts";
import { tellDays } from "./told.ts";

/** What decides which days an import covers. */
interface CoverageOrder {
  readonly importId: number;
  readonly sheet: ImportSheet;
  readonly month: string;
  /** The month was sent with the file. */
  readonly isGiven: boolean;
  readonly allowEmpty: boolean;
}

/**
 * The days of the month that each sheet of an import covers (A2): those of its title, else the whole month where that was
 * sent, else from its first row to its last. None for identity cards, which are of no days.
 * @throws {Problem} badFile where there is no row in the month, unless that is allowed.
 */
export async function chooseCoveredDays(db: Db, order: CoverageOrder, copied: Copied): Promise<Span[]> {
  const { importId, sheet: asked, month, allowEmpty } = order;
  const needed = asked === "work" ? "identity" : asked;
  if (!allowEmpty && (copied.sheets[needed]?.rows ?? 0) === 0) throw isEmpty(asked, month);
  const spans: Span[] = [];
  for (const sheet of ["month", "daily", "original"] as const) {
    const brought = copied.sheets[sheet];
    // 每日统计 may be there without a row; what is known of its days stays then.
    if (!brought || (brought.rows === 0 && !allowEmpty)) continue;
    const days = await chooseDays(db, sheet, brought, order, copied);
    if (days) spans.push({ sheet, importId, ...days });
  }
  return spans;
}

async function chooseDays(
  db: Db,
  sheet: DatedSheet,
  { title }: CopiedSheet,
  { importId, month, isGiven }: CoverageOrder,
  { cells }: Copied,
): Promise<DayRun | undefined> {
  const whole = daysOfMonth(month);
  if (title) return intersect(title, whole);
  if (sheet !== "month" && !isGiven) return findRowDays(db, importId, sheet);
  if (isGiven || cells.last < 0) return whole;
  return { firstDay: whole.firstDay + cells.first, lastDay: whole.firstDay + cells.last };
}

const isEmpty = (sheet: ImportSheet, month: string) =>
  explain(
    "badFile",
    `${sheetNames[sheet]}没有${sheet === "work" ? "" : ` ${month} 的`}数据行，未做任何改变；确实如此时请填写 allowEmpty=true`,
    `${sheetNames[sheet]} has no row${sheet === "work" ? "" : ` of ${month}`}, so nothing was changed; send allowEmpty=true if that is meant`,
  );

interface Swap {
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
export async function recompose(tx: Db, month: string, isRosterNew: boolean) {
  const changed = await holdMonth(tx, month);
  if (!changed) throw new Error("a month went while it was held");
  if (isRosterNew) await composeRoster(tx, month, changed.spans);
  await countPunches(tx, month);
  const { employees, sheets } = await joinSheets(tx, changed);
  const people = warnOfPeople(employees, sheets);
  await savePeopleWarnings(tx, month, people);
  return { state: { ...changed, total: employees.length }, people };
}
