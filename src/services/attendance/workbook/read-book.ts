import { openWorkbook } from "#platform/workbooks/open-workbook.ts";
import type { OpenWorkbook, SheetFile } from "#platform/workbooks/open-workbook.ts";
import { findSheets } from "./find-sheets.ts";
import type { BookPlace, ReadOrder, ReadProgress, SheetKind, WorkbookPart } from "./parts.ts";
import { readSheet } from "./read-sheet.ts";

/** What is handed on at a time: parts in order, and how far the reading is. */
export interface ReadStep {
  readonly parts: readonly WorkbookPart[];
  readonly progress: ReadProgress;
}

const MAX_SHEETS = 64;
// Three times what spreadsheet programs allow; it is repeated in what people are told.
const MAX_NAME_CHARS = 93;
const READING_ORDER: readonly SheetKind[] = ["month", "daily", "original", "identity"];

/** Reads the sheets of the order. Errors: `SpreadsheetError`. */
export async function* readBook(order: ReadOrder): AsyncGenerator<ReadStep> {
  const book = await openBook(order);
  try {
    yield* readSheets(book.sheets, order, book.bytes);
  } finally {
    book.close();
  }
}

/** Opens a workbook or text, and of its sheets those that are looked at. Close it. Errors: `SpreadsheetError`. */
export async function openBook({ path, limits }: BookPlace): Promise<OpenWorkbook> {
  const book = await openWorkbook(path, limits);
  const sheets = book.sheets.slice(0, MAX_SHEETS);
  return { ...book, sheets: sheets.map((file) => ({ ...file, name: file.name.slice(0, MAX_NAME_CHARS) })) };
}

async function* readSheets(
  files: readonly SheetFile[],
  order: ReadOrder,
  bytesTotal: number,
): AsyncGenerator<ReadStep> {
  const { found, others, month } = await findSheets(files, order);
  let rows = 0;
  let bytesRead = Math.max(0, bytesTotal - found.reduce((sum, sheet) => sum + sheet.file.packedBytes, 0));
  const progress = (sheet: SheetKind | null): ReadProgress => ({
    bytesRead: Math.round(bytesRead),
    bytesTotal,
    rows,
    sheet,
  });
  const notRead = others.map((part): WorkbookPart => ({
    kind: "sheet",
    month: null,
    isRead: false,
    units: {},
    ...part,
  }));
  yield { parts: notRead, progress: progress(null) };
  for (const kind of READING_ORDER) {
    const sheet = found.find((candidate) => candidate.kind === kind);
    if (sheet === undefined) continue;
    const start = bytesRead;
    for await (const step of readSheet(sheet, month, order)) {
      rows += step.rows;
      bytesRead = start + sheet.file.packedBytes * step.fraction;
      yield { parts: step.parts, progress: progress(kind) };
    }
    bytesRead = start + sheet.file.packedBytes;
  }
  bytesRead = bytesTotal;
  yield { parts: [], progress: progress(null) };
}
