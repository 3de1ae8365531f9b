import type * as z from "zod";
import type { Db } from "#platform/database/index.ts";
import { analyseMonth } from "#services/attendance/analysis/analysis.ts";
import { streamInputs } from "#services/attendance/analysis/employee-store.ts";
import type { AnalysisSettings } from "#services/attendance/model.ts";
import type { MonthState } from "#services/attendance/month-store.ts";
import type { preview } from "#services/attendance/record-contract.ts";
import type { SummaryRow } from "#services/attendance/analysis/summary-row.ts";

const shownRows = 100;

type Preview = z.input<typeof preview>;

/** What other settings would make of the month: whose row changes, and how. The people must have been joined once. */
export async function previewSettings(
  db: Db,
  state: MonthState,
  present: AnalysisSettings,
  changed: AnalysisSettings,
): Promise<Preview> {
  const answer = { month: state.month, employees: state.total, changed: 0, rows: [] as Preview["rows"] };
  for await (const inputs of streamInputs(db, state)) {
    for (const input of inputs) {
      const changes = compareRows(analyseMonth(input, present).row, analyseMonth(input, changed).row);
      if (changes.length === 0) continue;
      answer.changed++;
      const { name, userId, workNumber } = input.summary;
      if (answer.rows.length < shownRows) answer.rows.push({ workName: name, userId, workNum: workNumber, changes });
    }
  }
  return answer;
}

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
