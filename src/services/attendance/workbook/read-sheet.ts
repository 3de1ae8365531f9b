import { SpreadsheetError } from "#platform/spreadsheet/index.ts";
import { openCopyBatch } from "./copy-text.ts";
import { monthOfRange } from "./find-sheets.ts";
import { findDayColumns } from "./layout.ts";
import { describeBadCell, MONTH_HEADING } from "./problems.ts";
import { openRowReader } from "./sheet-rows.ts";
import { openWatcher } from "./warnings.ts";
import type { IdentityRow, MonthRow } from "#services/attendance/model.ts";
import type { FoundSheet } from "./find-sheets.ts";
import type { ReadOrder, SheetKind, WorkbookPart, Wording } from "./parts.ts";
import type { MonthKept, Outcome } from "./row-outcome.ts";

export interface SheetStep {
  readonly parts: WorkbookPart[];
  /** Rows taken since the last step. */
  readonly rows: number;
  /** How much of the sheet is read, from 0 to 1. */
  readonly fraction: number;
}

// COPY text is handed on in pieces of this size, rows by so many.
const BATCH_BYTES = 256 * 1024;
const LINE_BYTES = 1024;
const BATCH_ROWS = 500;
// A step without any part still tells how far the reading is, and that the worker lives.
const QUIET_CHUNKS = 64;
const MAX_BAD_ROWS = 1000;

/** Reads the rows of one sheet. `bookMonth` is what the titles of the workbook say. */
export async function* readSheet(
  sheet: FoundSheet,
  bookMonth: string | null,
  order: ReadOrder,
): AsyncGenerator<SheetStep> {
  const { file, kind, layout } = sheet;
  const kept: MonthKept = { month: chooseMonth(sheet, bookMonth, order), other: null };
  const isFromRows = kept.month === null;
  yield { parts: [describeSheet(sheet, kept), ...describeLayout(sheet, kept, order)], rows: 0, fraction: 0 };
  const source = file.open();
  const reader = openRowReader(layout, kind, kept, source.decode);
  const collector = openCollector(kind);
  source.choose(reader.columns);
  let quiet = 0;
  const run = source.run((row) => {
    if (row.row > layout.lastHeadingRow && !collector.isFull()) collector.take(reader.read(row), row.row);
  });
  for await (const fraction of run) {
    if (!collector.hasBatch() && ++quiet < QUIET_CHUNKS) continue;
    quiet = 0;
    yield { ...collector.flush(), fraction };
    if (collector.isFull()) break;
  }
  if (isFromRows && kept.other !== null && order.month === null) throw monthNeeded(file.name);
  const last = collector.flush();
  const skipped = collector.skipped();
  last.parts.push(...collector.warnings());
  if (kind !== "identity") last.parts.push({ kind: "skipped", sheet: kind, count: skipped, month: kept.month });
  yield { ...last, fraction: 1 };
}

function chooseMonth({ file, kind, layout }: FoundSheet, bookMonth: string | null, order: ReadOrder): string | null {
  if (kind === "identity") return null;
  const month = monthOfRange(layout.range) ?? (layout.range === null ? bookMonth : null) ?? order.month;
  const isInRows = kind !== "month" && layout.range === null;
  if (month === null && !isInRows) throw monthNeeded(file.name);
  return month;
}

function monthNeeded(sheet: string): SpreadsheetError {
  return new SpreadsheetError("heading", "missing-heading", { sheet, headings: [MONTH_HEADING] });
}

function describeSheet({ file, kind, layout }: FoundSheet, kept: MonthKept): WorkbookPart {
  return { kind: "sheet", sheet: kind, name: file.name, range: layout.range, month: kept.month, isRead: true };
}

function describeLayout({ kind, layout, alike }: FoundSheet, kept: MonthKept, order: ReadOrder): WorkbookPart[] {
  const texts: Wording[] = [];
  const names = alike.join("、");
  if (alike.length > 0)
    texts.push({ zh: `未读取内容相同的工作表：${names}`, en: `Sheets alike were not read: ${names}` });
  const headings = layout.repeated.join("、");
  if (layout.repeated.length > 0)
    texts.push({
      zh: `列标题重复，只取第一列：${headings}`,
      en: `Headings appear twice, the first was taken: ${headings}`,
    });
  if (kept.month !== null && order.month !== null && kept.month !== order.month) {
    texts.push({
      zh: `标题行的月份是 ${kept.month}，未采用所填的 ${order.month}`,
      en: `The title says ${kept.month}, which was taken instead of ${order.month}`,
    });
  }
  if (kind === "month" && kept.month !== null && !findDayColumns(layout, kept.month).isCertain) {
    texts.push({
      zh: "日期列与标题的日期不一致，按列标题对应",
      en: "The day columns are not those of the title; they were matched by their headings",
    });
  }
  return texts.map((message) => ({ kind: "warning", sheet: kind, message }));
}

interface Collector {
  take(outcome: Outcome, row: number): void;
  hasBatch(): boolean;
  isFull(): boolean;
  skipped(): number;
  warnings(): WorkbookPart[];
  flush(): { parts: WorkbookPart[]; rows: number };
}

function openCollector(kind: SheetKind): Collector {
  const watcher = openWatcher(kind);
  const lines = openCopyBatch(kind === "daily" || kind === "original" ? BATCH_BYTES + LINE_BYTES * 512 : 0);
  let [lineCount, skipped, badRows] = [0, 0, 0];
  let rows: (MonthRow | IdentityRow)[] = [];
  let bad: WorkbookPart[] = [];
  return {
    take(outcome, row) {
      if (outcome.kind === "line") {
        lines.add(outcome.line);
        lineCount += 1;
      } else if (outcome.kind === "row") {
        rows.push(outcome.row);
        watcher.see(outcome.row);
      } else if (outcome.kind === "outside") skipped += 1;
      else if (outcome.kind === "bad" && badRows++ < MAX_BAD_ROWS) {
        bad.push({ kind: "bad-row", sheet: kind, row, field: outcome.field, message: describeBadCell(outcome.reason) });
      }
    },
    hasBatch: () => lines.bytes() >= BATCH_BYTES || rows.length >= BATCH_ROWS || bad.length >= BATCH_ROWS,
    isFull: () => badRows >= MAX_BAD_ROWS,
    skipped: () => skipped,
    warnings: () => watcher.conclude().map((message) => ({ kind: "warning", sheet: kind, message })),
    flush() {
      const parts = bad;
      if (lineCount > 0 && (kind === "daily" || kind === "original"))
        parts.push({ kind: "copy", sheet: kind, count: lineCount, text: lines.take() });
      if (rows.length > 0) parts.push({ kind: "rows", sheet: kind, rows } as WorkbookPart);
      const count = lineCount + rows.length;
      [lineCount, rows, bad] = [0, [], []];
      return { parts, rows: count };
    },
  };
}
