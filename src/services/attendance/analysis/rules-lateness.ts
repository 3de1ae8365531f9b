import { writeMinute } from "#services/attendance/local-times.ts";
import type { Minute } from "#services/attendance/model.ts";
import type { PunchMeaning } from "./rules-results.ts";

export type Lateness = "late" | "early";
/** 0 up to the first edge, 1 up to the second, 2 above; edges belong to the lower bucket. */
export type Bucket = 0 | 1 | 2;

export interface LateFinding {
  readonly kind: Lateness;
  readonly minutes: number;
}

/**
 * How late or early a punch is that its result calls so (A15); null where it is not, or only within the scheduled
 * minute. "doubtful" where the times do not bear the result out, or there is no schedule.
 */
export function findLateness(
  meaning: PunchMeaning,
  scheduled: Minute | null,
  time: Minute,
): LateFinding | "doubtful" | null {
  if (meaning !== "late" && meaning !== "early") return null;
  if (scheduled === null) return "doubtful";
  const minutes = meaning === "late" ? time - scheduled : scheduled - time;
  if (minutes === 0) return null;
  return minutes > 0 ? { kind: meaning, minutes } : "doubtful";
}

export function chooseBucket(minutes: number, [first, second]: readonly [number, number]): Bucket {
  if (minutes <= first) return 0;
  return minutes <= second ? 1 : 2;
}

/** `05-04 08:42 迟到12分钟`. The date is that of the punch, which overnight is not the day it counts for. */
export function writeLateness(time: Minute, { kind, minutes }: LateFinding): string {
  return `${writeMinute(time).slice(5)} ${kind === "late" ? "迟到" : "早退"}${minutes}分钟`;
}
