import { DEFAULT_LIMITS, type SpreadsheetLimits } from "#platform/workbooks/index.ts";
import { streamFromWorker } from "#platform/workbooks/worker-stream.ts";
import type { LookOrder, Prospect } from "./look-at-book.ts";
import type { ReadOrder, ReadProgress, SheetKind, WorkbookPart } from "./parts.ts";
import type { ReadStep } from "./read-book.ts";

export type { SheetKind, StoredSheet, WorkbookPart } from "./parts.ts";

export interface ReadRequest {
  readonly path: string;
  readonly sheets: readonly SheetKind[];
  readonly needed: readonly SheetKind[];
  /** yyyy-MM. If the title spans several months, this chooses one of them; by default the first is read. */
  readonly month?: string;
  readonly periodStart?: number;
  readonly limits?: Partial<SpreadsheetLimits>;
  readonly onProgress?: (progress: ReadProgress) => void;
  readonly signal?: AbortSignal;
}

// The widest sheet of an export has about 110 columns, and a million punches have about 100,000 different texts.
export const WORKBOOK_LIMITS: SpreadsheetLimits = {
  ...DEFAULT_LIMITS,
  maxEntries: 2000,
  maxColumns: 1000,
  maxSharedBytes: 96 * 1024 ** 2,
};

const WORKER = {
  file: new URL("./worker.ts", import.meta.url),
  // Rows and caches take about 60 MB. Shared strings, chunks and batches are outside the heap and have their own
  // limits.
  maxHeapMb: 192,
  // The scanner's objects do not outlive a chunk, so a small young generation is as fast and saves 60 MB.
  maxNurseryMb: 8,
  prefetch: 3,
} as const;

/**
 * Reads in a worker thread and in bounded memory. Leaving the loop ends the worker. A faulty row is yielded, not
 * thrown.
 * @throws {SpreadsheetError} if the file cannot be read; if `needsMonth` accepts the error, the caller can read again
 * with a month
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
