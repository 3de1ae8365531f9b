import type { SummaryRow } from "#services/attendance/analysis/summary-row.ts";

export interface Change {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

/** The fields in which two rows of one employee differ, in the order of the row. */
export function compareRows(before: SummaryRow, after: SummaryRow): Change[] {
  const other = after as Readonly<Record<string, string | number | undefined>>;
  return Object.entries(before).flatMap(([field, value]) => {
    const now = other[field] ?? "";
    return now === value ? [] : { field, before: String(value), after: String(now) };
  });
}
