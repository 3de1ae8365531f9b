import { DEFAULT_LIMITS, type SpreadsheetLimits } from "#platform/workbooks/index.ts";
import { streamFromWorker } from "#platform/workbooks/worker-stream.ts";
import type { LookOrder, Prospect } from "./look-at-book.ts";
import type { ReadOrder, ReadProgress, SheetKind, WorkbookPart } from "./parts.ts";
import type { ReadStep } from "./read-book.ts";

export type { DayRange, SheetKind, StoredSheet, WorkbookPart } from "./parts.ts";

export interface ReadRequest {
  readonly path: string;
  readonly sheets: readonly SheetKind[];
  readonly needed: readonly SheetKind[];
  /** yyyy-MM; if the title spans several months, the first of them is the default. */
  readonly month?: string;
  readonly periodStart?: number;
  readonly limits?: Partial<SpreadsheetLimits>;
  readonly onProgress?: (progress: ReadProgress) => void;
  readonly signal?: AbortSignal;
}

// The widest sheet of an export has some 110 columns, and a million punches share some hundred thousand texts.
export const WORKBOOK_LIMITS: SpreadsheetLimits = {
  ...DEFAULT_LIMITS,
  maxEntries: 2000,
  maxColumns: 1000,
  maxSharedBytes: 96 * 1024 ** 2,
};

const WORKER = {
  file: new URL("./worker.ts", import.meta.url),
  // Rows and caches take some 60 MB; shared strings, chunks and batches are outside the heap and have limits of their
  // own.
  maxHeapMb: 192,
  // Objects of the scanner live no longer than a chunk, so a small nursery is as fast and saves 60 MB.
  maxNurseryMb: 8,
  prefetch: 3,
} as const;

/**
 * Reads in a worker thread and in bounded memory; leaving the loop ends the worker. A faulty row is a part, not an
 * error.
 * @throws {SpreadsheetError} which the caller can resolve if `needsMonth` is true for it
 */
export async function* readWorkbook(request: ReadRequest): AsyncGenerator<WorkbookPart> {
  const { path, sheets, needed, month = null, periodStart = 1, onProgress, signal } = request;
  const order: ReadOrder = {
    path,
    sheets,
    needed,
    month,
    periodStart,
    limits: { ...WORKBOOK_LIMITS, ...request.limits },
  };
  for await (const { parts, progress } of streamFromWorker<ReadStep>({ ...WORKER, order, signal })) {
    onProgress?.(progress);
    yield* parts;
  }
}

export async function lookAtWorkbook({
  limits,
  ...look
}: Omit<LookOrder, "limits"> & { readonly limits: Partial<SpreadsheetLimits> }): Promise<readonly Prospect[]> {
  const order: LookOrder = { ...look, limits: { ...WORKBOOK_LIMITS, ...limits } };
  const looking = streamFromWorker<readonly Prospect[]>({ ...WORKER, prefetch: 1, order });
  const [prospects = []] = await Array.fromAsync(looking);
  return prospects;
}
