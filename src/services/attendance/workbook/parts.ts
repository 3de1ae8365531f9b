import type { SpreadsheetLimits } from "#platform/workbooks/index.ts";
import type { IdentityRow, MonthRow } from "#services/attendance/model.ts";
import type { Units } from "./headings.ts";
import type { Bilingual } from "#platform/contract/language.ts";

/** The sheets that can be read: 月度汇总, 每日统计, 原始记录, and the sheet of identity cards. */
export type SheetKind = "month" | "daily" | "original" | "identity";

/** 打卡时间 is recognised, and not needed. */
export type KnownSheet = SheetKind | "clock-times";

/** Days from the title row, yyyy-MM-dd, both inclusive. */
export interface DayRange {
  readonly start: string;
  readonly end: string;
}

/**
 * What reading a workbook yields, in this order for each sheet: `sheet`, then data, bad rows and
 * warnings as they are met, then `skipped`.
 */
export type WorkbookPart =
  | {
      readonly kind: "sheet";
      readonly sheet: KnownSheet;
      readonly name: string;
      readonly range: DayRange | null;
      /** yyyy-MM: the month that is kept; null where rows carry no day, or none has been seen yet. */
      readonly month: string | null;
      /** False for a sheet that was recognised and not asked for: no rows follow. */
      readonly isRead: boolean;
      /** Of 月度汇总: the units of its copied columns that are not the fields' own, for what shows these to people. */
      readonly units: Units;
    }
  | { readonly kind: "rows"; readonly sheet: "month"; readonly rows: readonly MonthRow[] }
  | { readonly kind: "rows"; readonly sheet: "identity"; readonly rows: readonly IdentityRow[] }
  /**
   * Lines for COPY … FROM STDIN in text format, UTF-8, whole lines. Columns of "original": row, name,
   * user_id, work_number, day, scheduled, time, result, address. Of "daily": row, name, user_id,
   * work_number, day, shift, slots (JSON of `DailySlot[]`). Only `scheduled` and `time` may be null.
   */
  | { readonly kind: "copy"; readonly sheet: "daily" | "original"; readonly count: number; readonly text: Uint8Array }
  /** A row that cannot be taken; after 1,000 of them reading stops. */
  | {
      readonly kind: "bad-row";
      readonly sheet: SheetKind;
      readonly row: number;
      /** The heading of the cell at fault. */
      readonly field: string;
      readonly message: Bilingual;
    }
  | { readonly kind: "warning"; readonly sheet: SheetKind; readonly message: Bilingual }
  /** Rows left out because their day lies outside the month; `month` as in `sheet`, now known. */
  | { readonly kind: "skipped"; readonly sheet: SheetKind; readonly count: number; readonly month: string | null };

export interface ReadProgress {
  /** Of the file as it was sent. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  readonly rows: number;
  readonly sheet: SheetKind | null;
}

export interface ReadRequest {
  readonly path: string;
  /** Which sheets to read where they are there; default all four. */
  readonly sheets?: readonly SheetKind[];
  /** Which of them must be there; at least one of `sheets` must be in any case. */
  readonly needed?: readonly SheetKind[];
  /** yyyy-MM, used where the title's range does not lie inside one month. */
  readonly month?: string;
  readonly limits?: Partial<SpreadsheetLimits>;
  readonly onProgress?: (progress: ReadProgress) => void;
  readonly signal?: AbortSignal;
}

/** Where a file is, and how much it may hold. */
export interface BookPlace {
  readonly path: string;
  readonly limits: SpreadsheetLimits;
}

/** The request as it crosses into the worker. */
export interface ReadOrder extends BookPlace {
  readonly sheets: readonly SheetKind[];
  readonly needed: readonly SheetKind[];
  readonly month: string | null;
}

/** What people call the sheets. */
export const SHEET_NAMES: Readonly<Record<KnownSheet, string>> = {
  month: "月度汇总",
  daily: "每日统计",
  original: "原始记录",
  identity: "员工信息",
  "clock-times": "打卡时间",
};
