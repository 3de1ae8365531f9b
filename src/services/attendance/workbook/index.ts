import { DEFAULT_LIMITS, type SpreadsheetLimits } from "#platform/workbooks/index.ts";
import { streamFromWorker } from "#platform/workbooks/worker-stream.ts";
import type { LookOrder, Prospect, SheetWish } from "./look-at-book.ts";
import type { ReadOrder, ReadRequest, SheetKind, WorkbookPart } from "./parts.ts";
import type { ReadStep } from "./read-book.ts";

export { needsMonth } from "./problems.ts";
export type { Prospect, SheetWish } from "./look-at-book.ts";
export type { DayRange, KnownSheet, ReadProgress, ReadRequest, SheetKind, WorkbookPart } from "./parts.ts";
export type { Units } from "./headings.ts";

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

const WORKER = {
  file: new URL("./worker.ts", import.meta.url),
  // What is bounded elsewhere (shared strings, chunks, batches) lies off the heap; rows and caches take some 60 MB.
  maxHeapMb: 192,
  // What the scanner makes is dead before the next chunk: a small nursery is as quick, and 60 MB less.
  maxNurseryMb: 8,
  ahead: 3,
} as const;

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
  const order: ReadOrder = { path, sheets, needed, month, limits: { ...WORKBOOK_LIMITS, ...request.limits } };
  for await (const { parts, progress } of streamFromWorker<ReadStep>({ ...WORKER, order, signal })) {
    onProgress?.(progress);
    yield* parts;
  }
}

/**
 * What reading each of these choices of sheets would begin with, told by the beginnings of all sheets; in a worker, as
 * `readWorkbook`. Of a large workbook only its shared strings take time.
 * Errors: `SpreadsheetError` of a file that is no workbook or holds too much.
 */
export async function lookAtWorkbook(
  path: string,
  wishes: readonly SheetWish[],
  limits: Partial<SpreadsheetLimits>,
): Promise<readonly Prospect[]> {
  const order: LookOrder = { path, wishes, limits: { ...WORKBOOK_LIMITS, ...limits } };
  const looking = streamFromWorker<readonly Prospect[]>({ ...WORKER, ahead: 1, order });
  const [prospects = []] = await Array.fromAsync(looking);
  return prospects;
}
