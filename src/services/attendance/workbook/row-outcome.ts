import type { RawRow } from "#platform/workbooks/raw-row.ts";
import type { IdentityRow, MonthRow } from "#services/attendance/model.ts";
import type { PersonFields } from "./person-fields.ts";

/** What one row turned out to be. */
export type Outcome =
  | { readonly kind: "row"; readonly row: MonthRow | IdentityRow }
  | { readonly kind: "line"; readonly line: string }
  | { readonly kind: "bad"; readonly field: string; readonly reason: "day" | "time" | "no-time" }
  | typeof OUTSIDE
  | typeof MARK
  | typeof NOTHING;

/** The month that is kept: from the title or the request, or else taken from the first row with a day. */
export interface MonthKept {
  month: string | null;
  /** The first month met other than that one, if any. */
  other: string | null;
}

/** How the rows of a sheet are read: the columns to choose, in the order of slots, and what to do with each row. */
export interface RowReader {
  readonly columns: readonly number[];
  read(row: RawRow): Outcome;
  readonly ruined: PersonFields["ruined"];
  /** Headings of columns that are not taken and hold more than blanks and zeros. */
  listLeft?(): string[];
}

/** A total or a signature. */
export const MARK = { kind: "mark" } as const;
export const OUTSIDE = { kind: "outside" } as const;
export const NOTHING = { kind: "nothing" } as const;

/** True for a day of another month; the first day of all decides where the month is not known. */
export function isOutside(kept: MonthKept, day: string): boolean {
  if (kept.month === null) kept.month = day.slice(0, 7);
  if (day.startsWith(kept.month)) return false;
  kept.other ??= day.slice(0, 7);
  return true;
}
