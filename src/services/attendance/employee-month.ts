import type { Composition } from "#services/attendance/figures.ts";
import type { Correction, DailyRow, PunchRow, Summary } from "#services/attendance/model.ts";

/** The input of an employee's analysis. The rows are those matched to the employee (A4). */
export interface EmployeeMonth {
  readonly basis: Composition;
  readonly summary: Summary;
  readonly daily: readonly DailyRow[];
  readonly punches: readonly PunchRow[];
  readonly idCard: string;
  /** Each day has at most one correction. */
  readonly corrections: readonly Correction[];
}
