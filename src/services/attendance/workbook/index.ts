import { DEFAULT_LIMITS } from "#platform/spreadsheet/index.ts";
import { readInWorker } from "./worker-reading.ts";
import type { SpreadsheetLimits } from "#platform/spreadsheet/index.ts";
import type { ReadRequest, SheetKind, WorkbookPart } from "./parts.ts";

export { needsMonth } from "./problems.ts";
export type { DayRange, KnownSheet, ReadProgress, ReadRequest, SheetKind, WorkbookPart, Wording } from "./parts.ts";

const ALL_SHEETS: readonly SheetKind[] = ["month", "daily", "original", "identity"];

/**
 * What an export may hold: its widest sheet has some 110 columns, and a million punches share some hundred
 * thousand texts.
 */
export const WORKBOOK_LIMITS: SpreadsheetLimits = {
  ...DEFAULT_LIMITS,
  maxEntries: 2000,
  maxColumns: 1000,
  maxSharedBytes: 96 * 1024 ** 2,
};

/**
 * Reads an attendance workbook (.xlsx or .csv) of either generation. Sheets are found by their names, else by
 * titles and headings; columns by their headings, wherever they stand; days by position from the title's range.
 * The month that is kept is that of the title; a range of more than one month needs `month`.
 *
 * The file is read in a worker thread in bounded memory, however long it is. Leaving the loop ends the worker.
 *
 * Errors: `SpreadsheetError` (`needsMonth` tells the one that the caller can mend); the reason of `signal`. A
 * fault of a single row is no error but a part, "bad-row".
 */
export async function* readWorkbook(request: ReadRequest): AsyncGenerator<WorkbookPart> {
  const { path, sheets = ALL_SHEETS, needed = [], month = null, onProgress, signal } = request;
  const order = { path, sheets, needed, month, limits: { ...WORKBOOK_LIMITS, ...request.limits } };
  for await (const { parts, progress } of readInWorker(order, signal)) {
    onProgress?.(progress);
    yield* parts;
  }
}
