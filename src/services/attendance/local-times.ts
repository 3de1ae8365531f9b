import { formatDateTime } from "#platform/contract/times.ts";
import type { Day, Minute } from "./model.ts";

// Days and minutes are numbers inside, which sort and subtract, and texts where people read them.

const [dayMs, minuteMs] = [86_400_000, 60_000];
// The minutes of a month are 44,640.
const remembered = 100_000;
const days = new Map<Day, string>();
const minutes = new Map<Minute, string>();

/** The day of `yyyy-MM-dd`. Errors: none; NaN for a day that does not exist. */
export const readDay = (text: string): Day => Date.parse(`${text}T00:00:00Z`) / dayMs;

/** `yyyy-MM-dd`. Errors: none between the years 1 and 9999. */
export const writeDay = (day: Day): string =>
  remember(days, day, () => new Date(day * dayMs).toISOString().slice(0, 10));

/** The day that an instant is of in a time zone. */
export const dayOfInstant = (instant: number, zone: string): Day =>
  readDay(formatDateTime(new Date(instant), zone).slice(0, 10));

/** `yyyy-MM-dd HH:mm`, likewise. */
export const writeMinute = (minute: Minute): string =>
  remember(minutes, minute, () => new Date(minute * minuteMs).toISOString().slice(0, 16).replace("T", " "));

function remember(texts: Map<number, string>, key: number, write: () => string): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  if (texts.size >= remembered) texts.clear();
  const text = write();
  texts.set(key, text);
  return text;
}

/** The number of days of a month given as yyyy-MM. */
export function countDays(month: string): number {
  return new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate();
}
