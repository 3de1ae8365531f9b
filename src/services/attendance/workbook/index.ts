import type { Bilingual } from "#platform/contract/language.ts";
import { DEFAULT_LIMITS, type SpreadsheetLimits } from "#platform/workbooks/index.ts";
import { streamFromWorker } from "#platform/workbooks/worker-stream.ts";
import type { CopiedField, IdentityRow, MonthRow } from "#services/attendance/model.ts";
import type { Units } from "./headings.ts";
import type { LookOrder, Prospect } from "./look-at-book.ts";
import type { ReadStep } from "./read-book.ts";

/** What rows are stored as: those of 月度汇总, 每日统计, 原始记录, and the sheet of identity cards. */
export type StoredSheet = "month" | "daily" | "original" | "identity";

/** The sheets that can be read; 打卡时间 only where a workbook has neither 月度汇总 nor 每日统计. */
export type SheetKind = StoredSheet | "clock-times";

/** Days from the title row, yyyy-MM-dd, both inclusive. */
export interface DayRange {
  readonly start: string;
  readonly end: string;
}

/** What reading yields, for each sheet in this order: `sheet`, then data, bad rows and warnings as they are met, then `skipped`. */
export type WorkbookPart =
  | {
      readonly kind: "sheet";
      readonly sheet: StoredSheet;
      /** The sheet that stands in for it (A1a), so that its rows are put together out of those. */
      readonly from: SheetKind | null;
      readonly range: DayRange | null;
      /** Of day columns without a title: the first and the last day that there is one for. */
      readonly columnDays: DayRange | null;
      /** yyyy-MM: the month that is kept; null where rows carry no day, or none has been seen yet. */
      readonly month: string | null;
      /** All months that the titles of the workbook have days of, in order. */
      readonly bookMonths: readonly string[];
      /** Of 月度汇总: the units of its copied columns that are not the fields' own, for what shows these to people. */
      readonly units: Units;
      /** The units that its headings say, the fields' own too. */
      readonly said: Units;
      /** Of 月度汇总: the copied columns that it has. */
      readonly figures: readonly CopiedField[];
    }
  | { readonly kind: "rows"; readonly sheet: "month"; readonly rows: readonly MonthRow[] }
  | { readonly kind: "rows"; readonly sheet: "identity"; readonly rows: readonly IdentityRow[] }
  /**
   * Lines for COPY … FROM STDIN in text format, UTF-8, whole lines. Columns of "original": row, name,
   * user_id, work_number, day, scheduled, time, result, address, group_name. Of "daily": row, name, user_id,
   * work_number, day, shift, slots (JSON of `DailySlot[]`), absent, counted, group_name. Only `scheduled`, `time` and `counted` may be null.
   */
  | { readonly kind: "copy"; readonly sheet: "daily" | "original"; readonly count: number; readonly text: Uint8Array }
  /** A row that cannot be taken; after 1,000 of them reading stops. */
  | {
      readonly kind: "bad-row";
      readonly row: number;
      /** The heading of the cell at fault. */
      readonly field: string;
      readonly message: Bilingual;
    }
  | { readonly kind: "warning"; readonly message: Bilingual }
  /** Rows left out because their day lies outside the month; `month` as in `sheet`, now known. */
  | { readonly kind: "skipped"; readonly count: number; readonly month: string | null };

export interface ReadProgress {
  /** Of the file as it was sent. */
  readonly bytesRead: number;
  readonly rows: number;
}

export interface ReadRequest {
  readonly path: string;
  /** Which sheets to read where they are there. */
  readonly sheets: readonly SheetKind[];
  /** Which of them must be there; at least one of `sheets` must be in any case. */
  readonly needed: readonly SheetKind[];
  /** yyyy-MM, used where the title's range does not lie inside one month; left out, the first month of that is read. */
  readonly month?: string;
  /** The day on which a month's days begin; left out, 1. */
  readonly periodStart?: number;
  readonly limits?: Partial<SpreadsheetLimits>;
  readonly onProgress?: (progress: ReadProgress) => void;
  readonly signal?: AbortSignal;
}

/** The request as it crosses into the worker: where the file is, how much it may hold, and what is wanted of it. */
export interface ReadOrder {
  readonly path: string;
  readonly limits: SpreadsheetLimits;
  readonly sheets: readonly SheetKind[];
  readonly needed: readonly SheetKind[];
  readonly month: string | null;
  readonly periodStart: number;
}

// An export's widest sheet has some 110 columns, and a million punches share some hundred thousand texts.
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
  prefetch: 3,
} as const;

/**
 * Reads an attendance workbook (.xlsx or .csv) of either generation in a worker thread, in bounded memory. Leaving the loop ends
 * the worker. Errors: `SpreadsheetError` (`needsMonth` tells the one that the caller can mend); a fault of a single row is a part.
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

/** What importing each of these choices of sheets would take, told by the beginnings of all sheets and by their days. */
export async function lookAtWorkbook({
  limits,
  ...look
}: Omit<LookOrder, "limits"> & { readonly limits: Partial<SpreadsheetLimits> }): Promise<readonly Prospect[]> {
  const order: LookOrder = { ...look, limits: { ...WORKBOOK_LIMITS, ...limits } };
  const looking = streamFromWorker<readonly Prospect[]>({ ...WORKER, prefetch: 1, order });
  const [prospects = []] = await Array.fromAsync(looking);
  return prospects;
}
