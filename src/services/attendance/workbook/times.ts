import type { DayRange } from "./parts.ts";

const RANGE = /(\d{4}-\d{2}-\d{2})\s*至\s*(\d{4}-\d{2}-\d{2})/;
const DAY = /^(\d{4}|\d{2})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:\s*(?:星期|周)[一二三四五六日天]|[ T]00:00(?::00)?)?$/;
const MINUTE = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[ T]+(\d{1,2}):(\d{2})(?::\d{2})?$/;
const CLOCK = /^(次日\s*)?(\d{1,2}):(\d{2})(?::\d{2})?$/;
const DAY_MS = 86_400_000;
const MAX_RANGE_DAYS = 400;

/** The range that a title names; undefined if it names none. One that cannot be is "wrong", as it stands. */
export function readTitle(
  title: string,
): { range: DayRange; wrongRange: "" } | { range: null; wrongRange: string } | undefined {
  const [found] = RANGE.exec(title) ?? [];
  if (found === undefined) return undefined;
  const range = readRange(title);
  return range === null ? { range, wrongRange: found } : { range, wrongRange: "" };
}

/** The days named in a title such as `月度汇总 统计日期：2026-05-01 至 2026-05-31`; null if there are none, or none that make sense. */
export function readRange(title: string): DayRange | null {
  const [, start, end] = RANGE.exec(title) ?? [];
  if (start === undefined || end === undefined || readDay(start) === null || readDay(end) === null) return null;
  return start <= end && Date.parse(end) - Date.parse(start) < MAX_RANGE_DAYS * DAY_MS ? { start, end } : null;
}

/** `21-10-08 星期五`, `2021-10-08`, `2021/10/8` or `2021年10月8日` as yyyy-MM-dd; null if it is no day that exists. */
export function readDay(text: string): string | null {
  const [, year = "", month = "", day = ""] = DAY.exec(text) ?? [];
  return year === "" ? null : toDay(year.length === 2 ? `20${year}` : year, month, day);
}

/** `2020-11-09 08:30`, with seconds or slashes too, as yyyy-MM-dd HH:mm; null if it is no minute that exists. */
export function readMinute(text: string): string | null {
  if (isPlainMinute(text)) return text;
  const [, year = "", month = "", day = "", hour = "", minute = ""] = MINUTE.exec(text) ?? [];
  const date = year === "" ? null : toDay(year, month, day);
  return date === null || Number(hour) > 23 || Number(minute) > 59
    ? null
    : `${date} ${hour.padStart(2, "0")}:${minute}`;
}

/**
 * A clock as it stands in a cell: `08:26`, `>02:23` for 次日 02:23, or the whole minute yyyy-MM-dd HH:mm; null if it is none
 * that exists. `placeClock` makes a minute of it.
 */
export function readClock(text: string): string | null {
  const [, next, hour = "", minute = ""] = CLOCK.exec(text) ?? [];
  if (hour === "") return readMinute(text);
  if (Number(hour) > 23 || Number(minute) > 59) return null;
  return `${next === undefined ? "" : ">"}${hour.padStart(2, "0")}:${minute}`;
}

/** The minute, yyyy-MM-dd HH:mm, that a clock means in a row of the day. */
export function placeClock(clock: string, day: string): string {
  if (clock.length === 5) return `${day} ${clock}`;
  return clock.startsWith(">") ? `${nextDay(day)} ${clock.slice(1)}` : clock;
}

/** The days from start to end, both inclusive. */
export function listDays({ start, end }: DayRange): string[] {
  const days: string[] = [];
  for (let day = start; day <= end; day = nextDay(day)) days.push(day);
  return days;
}

/** The first and the last day of a month given as yyyy-MM. */
export function monthRange(month: string): DayRange {
  return { start: `${month}-01`, end: `${month}-${countDays(Number(month.slice(0, 4)), Number(month.slice(5)))}` };
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}

function toDay(year: string, month: string, day: string): string | null {
  const [monthNumber, dayNumber] = [Number(month), Number(day)];
  if (monthNumber < 1 || monthNumber > 12 || dayNumber < 1 || dayNumber > countDays(Number(year), monthNumber))
    return null;
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function countDays(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

// The form in which every export writes its minutes, told by hand: this runs twice for each of a million rows.
const DIGIT_PLACES = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15];

/** True for a minute that exists, written as yyyy-MM-dd HH:mm. */
export function isPlainMinute(text: string): boolean {
  if (text.length !== 16) return false;
  for (const place of DIGIT_PLACES) {
    const code = text.charCodeAt(place);
    if (code < 0x30 || code > 0x39) return false;
  }
  if (text.charCodeAt(4) !== 0x2d || text.charCodeAt(7) !== 0x2d) return false;
  if (text.charCodeAt(10) !== 0x20 || text.charCodeAt(13) !== 0x3a) return false;
  const month = digits(text, 5);
  const day = digits(text, 8);
  if (digits(text, 11) > 23 || digits(text, 14) > 59 || month < 1 || month > 12 || day < 1) return false;
  return day <= 28 || day <= countDays(digits(text, 0) * 100 + digits(text, 2), month);
}

function digits(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
}
