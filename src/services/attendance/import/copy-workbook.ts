import type { Bilingual } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import type { Session } from "#platform/database/index.ts";
import { FaultyRows, maxFaults, runImportHook, type RowFault } from "#platform/workbooks/import-problems.ts";
import type { SpreadsheetLimits } from "#platform/workbooks/index.ts";
import type { ImportSheet } from "#services/attendance/record-contract.ts";
import { type DayRun, daysOf, intersect, type Period } from "#services/attendance/days.ts";
import { watchKinds } from "#services/attendance/figures.ts";
import type { CopiedField, MonthRow } from "#services/attendance/model.ts";
import { openRowSink, type RowSink, toIdentityLine, toMonthLine } from "#services/attendance/stored-rows.ts";
import { describeElsewhere } from "#services/attendance/workbook/advice.ts";
import type { Units } from "#services/attendance/model.ts";
import {
  readWorkbook,
  type SheetKind,
  type StoredSheet,
  type WorkbookPart,
} from "#services/attendance/workbook/index.ts";
import type { SheetWish } from "#services/attendance/workbook/look-at-book.ts";
import { toRun } from "#services/attendance/workbook/times.ts";
import { collectUnknownDays, type UnknownDays } from "./warnings.ts";

export const wanted: Readonly<Record<ImportSheet, SheetWish>> = {
  month: ["month", "daily"],
  original: ["original"],
  work: ["identity"],
};

export interface CopyOrder {
  readonly importId: number;
  readonly sheet: ImportSheet;
  readonly path: string;
  readonly month: string | undefined;
  readonly periodStart: number;
  readonly limits: Partial<SpreadsheetLimits>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { bytesRead: number; rows: number }) => void;
  readonly onMonths: (months: readonly string[]) => Promise<void>;
}

export interface CopiedSheet {
  readonly title: DayRun | null;
  /** The days of the first and the last day column, if the sheet has no title. */
  readonly columnDays: DayRun | null;
  /** The sheet from which the rows are derived, if this sheet is missing (A1a). */
  readonly from: SheetKind | null;
  rows: number;
}

const nothingCopied = () => ({
  month: null as string | null,
  rows: 0,
  skipped: 0,
  employees: 0,
  sheets: {} as Partial<Record<StoredSheet, CopiedSheet>>,
  kinds: watchKinds(),
  units: {} as Units,
  said: {} as Units,
  figures: [] as readonly CopiedField[],
  /**
   * Unknown results in day cells, collected while reading. Only the days of the title count or, without a title, those
   * of the day columns.
   */
  unknownDays: undefined as UnknownDays | undefined,
  warnings: [] as Bilingual[],
  faults: [] as RowFault[],
});
export type Copied = ReturnType<typeof nothingCopied>;

/**
 * Copies the rows of the month's sheets into the database.
 * @throws {FaultyRows} with up to 100 faulty rows
 * @throws {SpreadsheetError} if the file cannot be read
 * @throws {Problem} badFile if the title has no day of the requested month
 */
export async function copyWorkbook(connection: Session, order: CopyOrder): Promise<Copied> {
  const { sheet, path, month, periodStart, limits, signal, onProgress, importId } = order;
  const copied = nothingCopied();
  const sink = await openRowSink(connection, importId);
  try {
    const parts = readWorkbook({
      path,
      sheets: wanted[sheet],
      needed: [wanted[sheet][0]],
      ...(month === undefined ? {} : { month }),
      periodStart,
      limits,
      signal,
      onProgress,
    });
    for await (const part of parts) {
      await take(part, copied, sink, order);
      if (copied.rows > 0) await runImportHook();
      if (copied.faults.length >= maxFaults) break;
    }
    if (copied.faults.length > 0) throw new FaultyRows(copied.faults);
    await sink.finish();
    return copied;
  } catch (error) {
    sink.abandon();
    throw error;
  }
}

async function take(part: WorkbookPart, copied: Copied, sink: RowSink, order: CopyOrder): Promise<void> {
  if (part.kind === "warning" && !copied.warnings.some(({ zh }) => zh === part.message.zh))
    copied.warnings.push(part.message);
  if (part.kind === "bad-row") copied.faults.push({ row: part.row, field: part.field, ...part.message });
  if (part.kind === "skipped") copied.skipped += part.count;
  if (part.kind === "sheet") {
    const { sheet, units, said, figures } = part;
    const title = part.range && toRun(part.range);
    const sent = order.month === undefined ? undefined : toPeriod(order.month, order);
    if (part.range && title && sent && !intersect(title, daysOf(sent))) {
      const { zh, en } = describeElsewhere(part.range, sent.month);
      throw explain("badFile", zh, en);
    }
    copied.sheets[sheet] = { title, columnDays: part.columnDays && toRun(part.columnDays), from: part.from, rows: 0 };
    if (sheet === "month") Object.assign(copied, { units, said, figures });
  }
  if ((part.kind === "sheet" || part.kind === "skipped") && part.month !== null && copied.month === null) {
    copied.month = part.month;
    if (part.kind === "sheet")
      await order.onMonths(order.month === undefined && part.bookMonths.length > 1 ? part.bookMonths : [part.month]);
  }
  // After a faulty row, the rest of the file is only checked and not stored.
  if (copied.faults.length === 0 && (part.kind === "rows" || part.kind === "copy"))
    await write(part, copied, sink, order);
}

const toPeriod = (month: string, { periodStart }: CopyOrder): Period => ({ month, periodStart });

type RowsPart = Extract<WorkbookPart, { kind: "rows" | "copy" }>;

async function write(part: RowsPart, copied: Copied, sink: RowSink, order: CopyOrder): Promise<void> {
  const { importId } = order;
  const count = part.kind === "copy" ? part.count : part.rows.length;
  const sheet = copied.sheets[part.sheet];
  // Rows of employees that were derived from another sheet are not counted, since the file does not contain them.
  if (part.sheet !== "month" || !sheet?.from) copied.rows += count;
  if (sheet) sheet.rows += count;
  if (part.kind === "copy") return sink.write(part.sheet, part.text);
  if (part.sheet === "identity")
    return sink.write("identity", part.rows.map((row) => toIdentityLine(sink.keys, importId, row)).join(""));
  copied.employees += count;
  const month = copied.month ?? order.month;
  if (month !== undefined) noteEmployees(part.rows, copied, daysOf(toPeriod(month, order)));
  return sink.write("month", part.rows.map((row) => toMonthLine(importId, row)).join(""));
}

function noteEmployees(rows: readonly MonthRow[], copied: Copied, whole: DayRun): void {
  for (const { copied: figures } of rows) copied.kinds.see(figures);
  if (copied.sheets.month?.from) return;
  copied.unknownDays ??= collectUnknownDays(whole);
  const { firstDay, lastDay } = copied.sheets.month?.title ?? copied.sheets.month?.columnDays ?? whole;
  const counts = (index: number) => whole.firstDay + index >= firstDay && whole.firstDay + index <= lastDay;
  for (const row of rows) copied.unknownDays.seeMonthRow(row, counts);
}
