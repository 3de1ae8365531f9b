import { explain } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { findRowDays } from "#services/attendance/coverage-store.ts";
import { type DayRun, daysOfMonth, intersect, sheetNames } from "#services/attendance/coverage.ts";
import type { DatedSheet, Span } from "#services/attendance/model.ts";
import type { Copied, CopiedSheet } from "./copy-workbook.ts";

/** What decides which days an import covers. */
export interface CoverageOrder {
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
  if (isGiven) return whole;
  if (sheet !== "month") return findRowDays(db, importId, sheet);
  return cells.last < 0 ? whole : { firstDay: whole.firstDay + cells.first, lastDay: whole.firstDay + cells.last };
}

const isEmpty = (sheet: ImportSheet, month: string) =>
  explain(
    "badFile",
    `${sheetNames[sheet]}没有${sheet === "work" ? "" : ` ${month} 的`}数据行，未做任何改变；确实如此时请填写 allowEmpty=true`,
    `${sheetNames[sheet]} has no row${sheet === "work" ? "" : ` of ${month}`}, so nothing was changed; send allowEmpty=true if that is meant`,
  );
