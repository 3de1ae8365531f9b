import type { SummaryRow } from "./summary-row.ts";

export interface Change {
  readonly field: string;
  readonly before: string;
  readonly after: string;
}

export interface ChangedRow {
  readonly workName: string;
  readonly userId: string;
  readonly workNum: string;
  readonly changes: readonly Change[];
}

export interface Preview {
  /** Employees whose row changes. */
  readonly changed: number;
  /** The first of them. */
  readonly rows: readonly ChangedRow[];
}

const shownRows = 100;

/** The fields in which two rows differ, in the order of the row. */
export function compareRows(before: SummaryRow, after: SummaryRow): Change[] {
  const other = after as Readonly<Record<string, string | number | undefined>>;
  return Object.entries(before).flatMap(([field, value]) => {
    const now = other[field] ?? "";
    return now === value ? [] : { field, before: String(value), after: String(now) };
  });
}

/**
 * What a change of the settings does to a month.
 * @param before and @param after the rows of the same employees in the same order
 */
export function previewChange(before: readonly SummaryRow[], after: readonly SummaryRow[]): Preview {
  if (before.length !== after.length) throw new Error("the rows before and after are not of the same employees");
  const rows: ChangedRow[] = [];
  let changed = 0;
  for (const [index, row] of before.entries()) {
    const now = after[index];
    const changes = now ? compareRows(row, now) : [];
    if (changes.length > 0 && ++changed <= shownRows)
      rows.push({ workName: row.workName, userId: row.userId, workNum: row.workNum, changes });
  }
  return { changed, rows };
}
