import type { Bilingual } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { savePeopleWarnings, undoAnalysis } from "#services/attendance/analysis/analysis-store.ts";
import { composeRoster, joinSheets, warnOfPeople } from "#services/attendance/analysis/people-store.ts";
import type { ImportSheet } from "#services/attendance/record-contract.ts";
import { daysOf, intersect, leaveOpen, type Period, sheetNames, spansOf, takeOver } from "#services/attendance/days.ts";
import type { DatedSheet, Day, Span } from "#services/attendance/model.ts";
import {
  addMonth,
  changePeriod,
  countDepartments,
  countPunches,
  findRowDays,
  holdMonth,
  refuseLocked,
  takeDays,
} from "#services/attendance/month-store.ts";
import { describeEmpty } from "#services/attendance/workbook/advice.ts";
import { adoptUserIds } from "#services/attendance/whose.ts";
import { SHEET_NAMES } from "#services/attendance/workbook/headings.ts";
import type { Copied } from "./copy-workbook.ts";
import { nameIdentities, noteMonthSheet, saveMonthWarnings } from "./import-store.ts";
import { listDayWarnings } from "./warnings.ts";

/**
 * Chooses the days of the month that each sheet covers (A2): those of its title. A sheet without a title covers the
 * whole month if the caller asks for that, or else the days from its first to its last day column or row. Identity
 * cards cover no days.
 * @throws {Problem} badFile without rows in the month, unless `allowEmpty` is set
 */
export async function chooseCoveredDays(
  db: Db,
  importId: number,
  period: Period,
  order: { readonly sheet: ImportSheet; readonly allowEmpty: boolean; readonly whole: boolean },
  { sheets }: Copied,
): Promise<Span[]> {
  const whole = daysOf(period);
  const needed = order.sheet === "work" ? "identity" : order.sheet;
  if (!order.allowEmpty && (sheets[needed]?.rows ?? 0) === 0) {
    const from = sheets[needed]?.from;
    const isDated = order.sheet === "original" || from === "daily";
    const { zh, en } = describeEmpty(
      from ? SHEET_NAMES[from] : sheetNames[order.sheet],
      isDated ? period.month : undefined,
    );
    throw explain("badFile", zh, en);
  }
  const spans: Span[] = [];
  for (const sheet of ["month", "daily", "original"] as const) {
    const brought = sheets[sheet];
    // A sheet without rows, such as an empty 每日统计, does not replace the month's days unless `allowEmpty` is set.
    if (!brought || (brought.rows === 0 && brought.from === null && !order.allowEmpty)) continue;
    const rowsOf = sheet === "month" ? "daily" : sheet;
    const ownDays = async () => brought.columnDays ?? findRowDays(db, importId, rowsOf);
    const untitled = async () => (order.whole ? whole : ownDays());
    const days = brought.title ? intersect(brought.title, whole) : await untitled();
    if (days) spans.push({ sheet, importId, ...days });
  }
  return spans;
}

interface Swap {
  readonly id: number;
  readonly sheet: ImportSheet;
  readonly period: Period;
  readonly covered: readonly Span[];
  /** The sheets that are derived from others. They only fill days that no imported sheet provides (A1a). */
  readonly standIns: readonly DatedSheet[];
  readonly present: readonly Bilingual[];
  readonly today: Day;
}

export interface Swapped {
  readonly spans: readonly Span[];
  readonly warnings: readonly Bilingual[];
}

/**
 * Puts the import's days into the month. Results of an analysis are discarded immediately; replaced rows are deleted
 * later, since requests may still read them. Identity cards do not affect a locked month, so they are never refused.
 * @throws {Problem} notAllowedNow if the month is locked, or was ever locked with another ATTENDANCE_PERIOD_START
 */
export async function swapMonth(tx: Db, swap: Swap): Promise<Swapped> {
  const { id, sheet, period, covered, standIns, present, today } = swap;
  const { month, periodStart } = period;
  await addMonth(tx, period);
  const before = await holdMonth(tx, month);
  if (!before) throw new Error("the month's row disappeared during the transaction");
  if (sheet === "work") await nameIdentities(tx, month, id);
  else refuseLocked(before);
  if (before.version !== null) return { spans: before.spans, warnings: [] };
  const isOther = sheet !== "work" && before.periodStart !== periodStart;
  const changed = isOther ? await changePeriod(tx, before, periodStart) : [];
  const taking = isOther ? { ...before, spans: [] } : before;
  let { spans } = taking;
  for (const span of covered) {
    const isStandIn = standIns.includes(span.sheet);
    // If 月度汇总 is derived from 打卡时间, it only fills days that have neither a real 月度汇总 nor a real 每日统计.
    const sheets = span.sheet === "month" ? standIns : [span.sheet];
    for (const run of isStandIn ? leaveOpen(spans, { ...span, isStandIn }, sheets) : [span]) {
      await takeDays(tx, { month, spans }, run);
      spans = [...spans.filter((each) => each.sheet !== run.sheet), ...takeOver(spansOf(spans, run.sheet), run)];
    }
  }
  await undoAnalysis(tx, month);
  if (sheet === "month") await noteMonthSheet(tx, month);
  const { state, people } = await recompose(tx, month, sheet === "month" || isOther);
  const days = sheet === "work" ? [] : await listDayWarnings(tx, state, today);
  const warnings = [...changed, ...days, ...present, ...people];
  await saveMonthWarnings(tx, id, warnings);
  return { spans: state.spans, warnings };
}

export async function recompose(tx: Db, month: string, isRosterNew: boolean) {
  const changed = await holdMonth(tx, month);
  if (!changed) throw new Error("the month's row disappeared during the transaction");
  if (isRosterNew) {
    await composeRoster(tx, month, changed.spans);
    await adoptUserIds(tx, month);
  }
  await countDepartments(tx, month);
  await countPunches(tx, changed);
  const { employees, sheets } = await joinSheets(tx, changed);
  const people = warnOfPeople(employees, sheets);
  await savePeopleWarnings(tx, month, people);
  return { state: { ...changed, total: employees.length }, people };
}
