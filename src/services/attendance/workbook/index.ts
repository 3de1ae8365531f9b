import type { Bilingual } from "#platform/contract/language.ts";
import { DEFAULT_LIMITS, type SpreadsheetLimits } from "#platform/workbooks/index.ts";
import { streamFromWorker } from "#platform/workbooks/worker-stream.ts";
import type { CopiedField, IdentityRow, MonthRow } from "#services/attendance/model.ts";
import type { Units } from "./headings.ts";
import type { LookOrder, Prospect } from "./look-at-book.ts";
import type { ReadStep } from "./read-book.ts";

export type StoredSheet = "month" | "daily" | "original" | "identity";

/** 打卡时间 is read only if a workbook has neither 月度汇总 nor 每日统计. */
export type SheetKind = StoredSheet | "clock-times";

export interface DayRange {
  readonly start: string;
  readonly end: string;
}

/** For each sheet, `sheet` comes first, then data, faulty rows and warnings as they are met, then `skipped`. */
export type WorkbookPart =
  | {
      readonly kind: "sheet";
      readonly sheet: StoredSheet;
      /** The sheet from which the rows are composed, if this one is missing (A1a). */
      readonly from: SheetKind | null;
      readonly range: DayRange | null;
      /** The days of the first and the last day column, if there is no title. */
      readonly columnDays: DayRange | null;
      /** The imported month as yyyy-MM; null if no row so far has a day. */
      readonly month: string | null;
      readonly bookMonths: readonly string[];
      readonly units: Units;
      readonly said: Units;
      readonly figures: readonly CopiedField[];
    }
  | { readonly kind: "rows"; readonly sheet: "month"; readonly rows: readonly MonthRow[] }
  | { readonly kind: "rows"; readonly sheet: "identity"; readonly rows: readonly IdentityRow[] }
  /**
   * Whole lines for COPY … FROM STDIN in text format, UTF-8. Columns of "original": row, name, user_id, work_number,
   * day, scheduled, time, result, address, group_name. Of "daily": row, name, user_id, work_number, day, shift, slots
   * (JSON of `DailySlot[]`), absent, counted, group_name. Only `scheduled`, `time` and `counted` may be null.
   */
  | { readonly kind: "copy"; readonly sheet: "daily" | "original"; readonly count: number; readonly text: Uint8Array }
  /** Reading stops after 1,000 faulty rows. */
  | {
      readonly kind: "bad-row";
      readonly row: number;
      readonly field: string;
      readonly message: Bilingual;
    }
  | { readonly kind: "warning"; readonly message: Bilingual }
  | { readonly kind: "skipped"; readonly count: number; readonly month: string | null };

export interface ReadProgress {
  readonly bytesRead: number;
  readonly rows: number;
}

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

export interface ReadOrder {
  readonly path: string;
  readonly limits: SpreadsheetLimits;
  readonly sheets: readonly SheetKind[];
  readonly needed: readonly SheetKind[];
  readonly month: string | null;
  readonly periodStart: number;
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
