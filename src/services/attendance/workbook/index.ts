import type { Bilingual } from "#platform/contract/language.ts";
import { DEFAULT_LIMITS, type SpreadsheetLimits } from "#platform/workbooks/index.ts";
import { streamFromWorker } from "#platform/workbooks/worker-stream.ts";
import type { CopiedField, IdentityRow, MonthRow } from "#services/attendance/model.ts";
import type { Units } from "./headings.ts";
import type { LookOrder, Prospect } from "./look-at-book.ts";
import type { ReadStep } from "./read-book.ts";

/** Storage kinds of rows: 月度汇总, 每日统计, 原始记录 and identity cards. */
export type StoredSheet = "month" | "daily" | "original" | "identity";

/** Readable sheets; 打卡时间 only if a workbook has neither 月度汇总 nor 每日统计. */
export type SheetKind = StoredSheet | "clock-times";

/** Days of the title, yyyy-MM-dd, inclusive. */
export interface DayRange {
  readonly start: string;
  readonly end: string;
}

/**
 * The output of reading. For each sheet, in this order: `sheet`, then data, faulty rows and warnings as encountered,
 * then `skipped`.
 */
export type WorkbookPart =
  | {
      readonly kind: "sheet";
      readonly sheet: StoredSheet;
      /** The sheet that replaces this one, from which the rows are composed (A1a). */
      readonly from: SheetKind | null;
      readonly range: DayRange | null;
      /** The first and last day column, if there is no title. */
      readonly columnDays: DayRange | null;
      /** yyyy-MM, the imported month; null if rows have no days or none was seen yet. */
      readonly month: string | null;
      /** All months in the workbook's titles, in order. */
      readonly bookMonths: readonly string[];
      /** For 月度汇总: units of copied columns that differ from the default, for display. */
      readonly units: Units;
      /** Units in the headings, default ones included. */
      readonly said: Units;
      /** For 月度汇总: its copied columns. */
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
  /** A rejected row; reading stops after 1,000. */
  | {
      readonly kind: "bad-row";
      readonly row: number;
      readonly field: string;
      readonly message: Bilingual;
    }
  | { readonly kind: "warning"; readonly message: Bilingual }
  /** Rows outside the month; `month` as in `sheet`, now known. */
  | { readonly kind: "skipped"; readonly count: number; readonly month: string | null };

export interface ReadProgress {
  /** Bytes of the uploaded file. */
  readonly bytesRead: number;
  readonly rows: number;
}

export interface ReadRequest {
  readonly path: string;
  readonly sheets: readonly SheetKind[];
  /** Required sheets; at least one of `sheets` is always required. */
  readonly needed: readonly SheetKind[];
  /** yyyy-MM, needed if the title spans several months; default: the first of these. */
  readonly month?: string;
  /** First day of the period; default: 1. */
  readonly periodStart?: number;
  readonly limits?: Partial<SpreadsheetLimits>;
  readonly onProgress?: (progress: ReadProgress) => void;
  readonly signal?: AbortSignal;
}

/** The request as sent to the worker. */
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
  // Shared strings, chunks and batches are off-heap and have other limits; rows and caches take some 60 MB.
  maxHeapMb: 192,
  // The scanner's objects die within a chunk, so a small nursery is as fast and saves 60 MB.
  maxNurseryMb: 8,
  prefetch: 3,
} as const;

/**
 * Reads an attendance workbook (.xlsx or .csv) of either generation in a worker thread, in bounded memory. Leaving the
 * loop ends the worker. Errors: `SpreadsheetError` (the caller can resolve one with `needsMonth`); a faulty row is a
 * part instead.
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

/** Previews what importing each choice of sheets would take, from the sheets' first rows and days. */
export async function lookAtWorkbook({
  limits,
  ...look
}: Omit<LookOrder, "limits"> & { readonly limits: Partial<SpreadsheetLimits> }): Promise<readonly Prospect[]> {
  const order: LookOrder = { ...look, limits: { ...WORKBOOK_LIMITS, ...limits } };
  const looking = streamFromWorker<readonly Prospect[]>({ ...WORKER, prefetch: 1, order });
  const [prospects = []] = await Array.fromAsync(looking);
  return prospects;
}
