import type { Composition } from "#services/attendance/figures.ts";
import type { Correction, DailyRow, PunchRow, Summary } from "#services/attendance/model.ts";

/** What the analysis knows of an employee in a month: the rows matched to the employee (A4) and corrections. */
export interface EmployeeMonth {
  readonly basis: Composition;
  readonly summary: Summary;
  readonly daily: readonly DailyRow[];
  readonly punches: readonly PunchRow[];
  readonly idCard: string;
  /** At most one per day. */
  readonly corrections: readonly Correction[];
}
