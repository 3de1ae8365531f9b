import type { Bilingual } from "#platform/contract/language.ts";
import type { SpreadsheetLimits } from "#platform/workbooks/index.ts";
import type { CopiedField, IdentityRow, MonthRow, Units } from "#services/attendance/model.ts";

export type StoredSheet = "month" | "daily" | "original" | "identity";

/** 打卡时间 ("clock-times") is read only if a workbook has neither 月度汇总 nor 每日统计. */
export type SheetKind = StoredSheet | "clock-times";

export interface DayRange {
  readonly start: string;
  readonly end: string;
}

/**
 * The parts of a sheet arrive in this order: `sheet`; data, faulty rows and warnings as they are found; `skipped`,
 * except for identity cards.
 */
export type WorkbookPart =
  | {
      readonly kind: "sheet";
      readonly sheet: StoredSheet;
      /** The sheet from which the rows are derived, if this sheet is missing (A1a). */
      readonly from: SheetKind | null;
      readonly range: DayRange | null;
      /** The days of the first and the last day column, if the sheet has no title. */
      readonly columnDays: DayRange | null;
      /** The imported month as yyyy-MM; null for identity cards, and if only the rows show the month. */
      readonly month: string | null;
      readonly bookMonths: readonly string[];
      readonly units: Units;
      readonly said: Units;
      readonly figures: readonly CopiedField[];
    }
  | { readonly kind: "rows"; readonly sheet: "month"; readonly rows: readonly MonthRow[] }
  | { readonly kind: "rows"; readonly sheet: "identity"; readonly rows: readonly IdentityRow[] }
  /**
   * The text consists of whole lines for COPY … FROM STDIN in text format, in UTF-8. Columns of "original": row, name,
   * user_id, work_number, day, scheduled, time, result, address, group_name. Columns of "daily": row, name, user_id,
   * work_number, day, shift, slots (JSON of `DailySlot[]`), absent, counted, group_name. Only `scheduled`, `time` and
   * `counted` may be null.
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

export interface ReadOrder {
  readonly path: string;
  readonly limits: SpreadsheetLimits;
  readonly sheets: readonly SheetKind[];
  readonly needed: readonly SheetKind[];
  readonly month: string | null;
  readonly periodStart: number;
}
