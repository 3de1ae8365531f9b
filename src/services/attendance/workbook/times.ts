import {
  type DayRun,
  daysOf,
  listDays as listRun,
  monthOf,
  type Period,
  readDay as toNumber,
  writeDay,
} from "#services/attendance/days.ts";
import type { DayRange } from "./parts.ts";

const RANGE = /(\d{4}-\d{2}-\d{2})\s*至\s*(\d{4}-\d{2}-\d{2})/;
const DAY = /^(\d{4}|\d{2})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:\s*(?:星期|周)[一二三四五六日天]|[ T]00:00(?::00)?)?$/;
const MINUTE = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})[ T]+(\d{1,2}):(\d{2})(?::\d{2})?$/;
const CLOCK = /^(次日\s*)?(\d{1,2}):(\d{2})(?::\d{2})?$/;
const DAY_MS = 86_400_000;
const MAX_RANGE_DAYS = 400;

/** Returns undefined if the title has no range. `wrongRange` is the text of an invalid range. */
export function readTitle(title: string): { readonly range: DayRange | null; readonly wrongRange: string } | undefined {
  const [found] = RANGE.exec(title) ?? [];
  const range = readRange(title);
  return found === undefined ? undefined : { range, wrongRange: range === null ? found : "" };
}

const GENERATED = /报表生成时间\s*[:：]\s*(\d{4}-\d{2}-\d{2})/;

export const readGenerated = (title: string): string | null => GENERATED.exec(title)?.[1] ?? null;

/** Returns null if the title has no range or an invalid one. */
export function readRange(title: string): DayRange | null {
  const [, start, end] = RANGE.exec(title) ?? [];
  if (start === undefined || end === undefined || readDay(start) === null || readDay(end) === null) return null;
  return start <= end && Date.parse(end) - Date.parse(start) < MAX_RANGE_DAYS * DAY_MS ? { start, end } : null;
}

/** Accepts days such as `21-10-08 星期五`, `2021-10-08`, `2021/10/8` and `2021年10月8日`. Returns null for anything else. */
export function readDay(text: string): string | null {
  const [, year = "", month = "", day = ""] = DAY.exec(text) ?? [];
  return year === "" ? null : toDay(year.length === 2 ? `20${year}` : year, month, day);
}

export function readMinute(text: string): string | null {
  if (isPlainMinute(text)) return text;
  const [, year = "", month = "", day = "", hour = "", minute = ""] = MINUTE.exec(text) ?? [];
  const date = year === "" ? null : toDay(year, month, day);
  return date === null || Number(hour) > 23 || Number(minute) > 59
    ? null
    : `${date} ${hour.padStart(2, "0")}:${minute}`;
}

/**
 * Accepts `08:26`, `次日 02:23` for 02:23 on the next day (returned as `>02:23`), or a date with a time. Returns null for
 * anything else.
 */
export function readClock(text: string): string | null {
  const [, next, hour = "", minute = ""] = CLOCK.exec(text) ?? [];
  if (hour === "") return readMinute(text);
  if (Number(hour) > 23 || Number(minute) > 59) return null;
  return `${next === undefined ? "" : ">"}${hour.padStart(2, "0")}:${minute}`;
}

export function placeClock(clock: string, day: string): string {
  if (clock.length === 5) return `${day} ${clock}`;
  return clock.startsWith(">") ? `${writeDay(toNumber(day) + 1)} ${clock.slice(1)}` : clock;
}

export const toRun = ({ start, end }: DayRange): DayRun => ({ firstDay: toNumber(start), lastDay: toNumber(end) });

export const listDays = (range: DayRange): string[] => listRun(toRun(range)).map(writeDay);

export const listMonths = (range: DayRange, periodStart: number): string[] => [
  ...new Set(listDays(range).map((day) => monthOf(day, periodStart))),
];

export function monthRange(period: Period): DayRange {
  const { firstDay, lastDay } = daysOf(period);
  return { start: writeDay(firstDay), end: writeDay(lastDay) };
}

function toDay(year: string, month: string, day: string): string | null {
  // PostgreSQL has no year 0, in which a period of the year 1 may begin, and spreadsheets have no day before 1900.
  if (Number(year) < 1900) return null;
  const [monthNumber, dayNumber] = [Number(month), Number(day)];
  if (monthNumber < 1 || monthNumber > 12 || dayNumber < 1 || dayNumber > countDays(Number(year), monthNumber))
    return null;
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

function countDays(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

// The positions of the digits in `yyyy-MM-dd HH:mm`. All exports write times in this format, and the check runs twice
// for each of a million rows, so it must be fast.
const DIGIT_PLACES = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15];

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
  if (text.startsWith("0000")) return false;
  if (digits(text, 11) > 23 || digits(text, 14) > 59 || month < 1 || month > 12 || day < 1) return false;
  return day <= 28 || day <= countDays(digits(text, 0) * 100 + digits(text, 2), month);
}

function digits(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
}

interface DayLabel {
  readonly column: number;
  readonly label: string;
}

interface RangeDay {
  readonly day: string;
  readonly number: string;
  readonly weekday: string;
}

export interface DayColumns {
  readonly columns: readonly number[];
  readonly all: ReadonlySet<number>;
  /** False if day columns are missing or their labels contradict the days. */
  readonly isCertain: boolean;
}

const WEEKDAYS = "日一二三四五六";

/**
 * Maps columns to days by position, from the start of the title's range or, if there is none, of the month. Labels
 * alone do not suffice, since they are `六` and `日` on weekends and names on holidays. They are used only to find which
 * day columns were deleted and, if no heading spans the day columns, where the days start.
 */
export function mapDays(labels: readonly DayLabel[], range: DayRange | null, period: Period): DayColumns {
  const days = listDays(range ?? monthRange(period)).map((day): RangeDay => ({
    day,
    number: String(Number(day.slice(8))),
    weekday: WEEKDAYS.charAt(new Date(day).getUTCDay()),
  }));
  const candidates = dropLeading(labels, days);
  const byDay = new Map<string, number>();
  const isCertain =
    candidates.length >= days.length &&
    days.every((day, index) => {
      const label = candidates[index]?.label ?? "";
      return isLabelOf(label, day) || !isDayLike(label);
    });
  if (isCertain) for (const [index, { day }] of days.entries()) byDay.set(day, candidates[index]?.column ?? -1);
  else for (const [day, column] of alignByLabels(candidates, days)) byDay.set(day, column);
  const columns = listDays(monthRange(period)).map((day) => byDay.get(day) ?? -1);
  return { columns, all: new Set(byDay.values()), isCertain };
}

// The days start at the first label that is clearly a day. Columns before that label are dropped as unknown.
function dropLeading(labels: readonly DayLabel[], days: readonly RangeDay[]): readonly DayLabel[] {
  const start = labels.findIndex(({ label }) => days.some((day) => isLabelOf(label, day)));
  const first = labels[start];
  if (first === undefined) return [];
  // A holiday's name before the first clear label, as on 1 January, is a day too if the number of columns fits.
  const offset = days.findIndex((day) => isLabelOf(first.label, day));
  const from = start - offset;
  return labels.slice(from >= 0 && labels.length - from >= days.length ? from : start);
}

function* alignByLabels(labels: readonly DayLabel[], days: readonly RangeDay[]): Generator<readonly [string, number]> {
  // The next number after each label is computed once, since searching for it at each label takes a second for a
  // thousand labels.
  const nextNumbers: (string | undefined)[] = [];
  for (let index = labels.length - 1; index > 0; index--) {
    const label = labels[index]?.label ?? "";
    nextNumbers[index - 1] = /^\d{1,2}$/.test(label) ? label : nextNumbers[index];
  }
  let at = 0;
  for (const [index, { column, label }] of labels.entries()) {
    if (label === "") continue;
    const found = isDayLike(label) ? findPlace(label, nextNumbers[index], days, at) : at;
    const day = days[found]?.day;
    if (day === undefined) continue;
    yield [day, column];
    at = found + 1;
  }
}

// 六 and 日 recur every week, so the number after the label decides which week is meant.
function findPlace(label: string, nextNumber: string | undefined, days: readonly RangeDay[], at: number): number {
  const isNumber = /^\d+$/.test(label);
  for (let place = at; place < days.length; place++) {
    const day = days[place];
    if (day === undefined || !isLabelOf(label, day)) continue;
    if (isNumber || nextNumber === undefined) return place;
    const week = days.slice(place + 1, place + 7);
    if (week.some((later) => isLabelOf(nextNumber, later))) return place;
  }
  return -1;
}

function isLabelOf(label: string, { number, weekday }: RangeDay): boolean {
  return label === weekday || (/^\d{1,2}$/.test(label) && String(Number(label)) === number);
}

export function isDayLike(label: string): boolean {
  return /^(?:\d{1,2}|[日一二三四五六])$/.test(label);
}
