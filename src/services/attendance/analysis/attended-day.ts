import type { Correction, DailyRow, Minute, PunchRow } from "#services/attendance/model.ts";
import type { MissingPunch } from "./rules-missing.ts";
import type { Bucket, findLateness, LateFinding, MarkReading, PlacedDay } from "./rules-punches.ts";

export interface ValidPunch {
  readonly row: PunchRow;
  readonly time: Minute;
  readonly says: MarkReading;
  readonly lateness: ReturnType<typeof findLateness>;
}

/** Several rows may record punches in the same minute, so a late or early punch lists all rows of its minute. */
export interface LatePunch extends LateFinding {
  readonly day: string;
  readonly time: Minute;
  readonly bucket: Bucket;
  readonly rows: readonly PunchRow[];
}

export interface AttendedDay extends PlacedDay {
  readonly day: string;
  /** The number of the day in the period, from 0. */
  readonly index: number;
  /** Whether the day counts as attended. A day that does not count may still have records, such as missing punches. */
  readonly counts: boolean;
  readonly daily: readonly DailyRow[];
  readonly punches: readonly ValidPunch[];
  readonly missing: readonly MissingPunch[];
  readonly abnormal: readonly ValidPunch[];
  readonly correction?: Correction;
}
