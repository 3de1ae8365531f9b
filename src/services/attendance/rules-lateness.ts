import type { PunchRow } from "./model.ts";
import { type PunchMeaning, readResult } from "./rules-results.ts";

export type Lateness = "late" | "early";
/** 0 up to the first edge, 1 up to the second, 2 above; edges belong to the lower bucket. */
export type Bucket = 0 | 1 | 2;

export interface LateFinding {
  readonly kind: Lateness;
  readonly minutes: number;
}

/**
 * How late or early a punch is that its result calls so (A15); null where it is not, or only within the scheduled
 * minute. "doubtful" where the times do not bear the result out, or one of them is missing.
 * @param meaning that of the result, for who has read it already
 */
export function findLateness(
  { scheduled, time, result }: PunchRow,
  meaning: PunchMeaning = readResult(result),
): LateFinding | "doubtful" | null {
  if (meaning !== "late" && meaning !== "early") return null;
  if (scheduled === null || time === null) return "doubtful";
  const minutes = meaning === "late" ? minutesBetween(scheduled, time) : minutesBetween(time, scheduled);
  if (minutes === 0) return null;
  return minutes > 0 ? { kind: meaning, minutes } : "doubtful";
}

export function chooseBucket(minutes: number, [first, second]: readonly [number, number]): Bucket {
  if (minutes <= first) return 0;
  return minutes <= second ? 1 : 2;
}

/** `05-04 08:42 迟到12分钟`. The date is that of the punch, which overnight is not the day it counts for. */
export function writeLateness(time: string, { kind, minutes }: LateFinding): string {
  return `${time.slice(5, 16)} ${kind === "late" ? "迟到" : "早退"}${minutes}分钟`;
}

function minutesBetween(from: string, to: string): number {
  const days = from.startsWith(to.slice(0, 10))
    ? 0
    : (Date.parse(to.slice(0, 10)) - Date.parse(from.slice(0, 10))) / 86_400_000;
  return days * 1440 + minuteOfDay(to) - minuteOfDay(from);
}

const minuteOfDay = (minute: string): number => digitsAt(minute, 11) * 60 + digitsAt(minute, 14);

const digitsAt = (text: string, at: number): number => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * zero;
const zero = 48;
