import type { DayRange } from "./parts.ts";
import { listDays, monthRange } from "./times.ts";

interface DayLabel {
  readonly column: number;
  readonly label: string;
}

/** A day and how its columns may be labelled. */
interface RangeDay {
  readonly day: string;
  readonly number: string;
  readonly weekday: string;
}

export interface DayColumns {
  /** Index 0 is the first of the month, -1 no column. */
  readonly columns: readonly number[];
  /** Columns of days, those outside of the month included. */
  readonly all: ReadonlySet<number>;
  /** False where columns are missing. */
  readonly isCertain: boolean;
}

const WEEKDAYS = "日一二三四五六";

/**
 * Which columns are the days of a month. The days go by position from the start of the title's range, never by
 * their labels, which are `六` and `日` on weekends and a holiday's name on holidays. Labels only tell where
 * the days begin in a sheet without a group heading, and which are gone where somebody deleted some.
 *
 * Without a range the days are taken to be those of the month.
 */
export function mapDays(labels: readonly DayLabel[], range: DayRange | null, month: string): DayColumns {
  const days = listDays(range ?? monthRange(month)).map(toRangeDay);
  const candidates = dropLeading(labels, days);
  const byDay = new Map<string, number>();
  const isCertain = candidates.length >= days.length && alignsByPosition(candidates, days);
  if (isCertain) for (const [index, { day }] of days.entries()) byDay.set(day, candidates[index]?.column ?? -1);
  else for (const [day, column] of alignByLabels(candidates, days)) byDay.set(day, column);
  const columns = listDays(monthRange(month)).map((day) => byDay.get(day) ?? -1);
  return { columns, all: new Set(byDay.values()), isCertain };
}

const toRangeDay = (day: string): RangeDay => ({
  day,
  number: String(Number(day.slice(8))),
  weekday: WEEKDAYS.charAt(new Date(day).getUTCDay()),
});

// The first label that is plainly a day begins them: what stands before is a column that the readers do not know.
function dropLeading(labels: readonly DayLabel[], days: readonly RangeDay[]): readonly DayLabel[] {
  const start = labels.findIndex(({ label }) => days.some((day) => isLabelOf(label, day)));
  const first = labels[start];
  if (first === undefined) return [];
  // A holiday's name before it, as on 1 January, belongs to the days too if the position says so.
  const offset = days.findIndex((day) => isLabelOf(first.label, day));
  const from = start - offset;
  return labels.slice(from >= 0 && labels.length - from >= days.length ? from : start);
}

function alignsByPosition(labels: readonly DayLabel[], days: readonly RangeDay[]): boolean {
  return days.every((day, index) => {
    const label = labels[index]?.label ?? "";
    return isLabelOf(label, day) || !isDayLike(label);
  });
}

function* alignByLabels(labels: readonly DayLabel[], days: readonly RangeDay[]): Generator<readonly [string, number]> {
  const nextNumbers = listNextNumbers(labels);
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

/** For each label the next one behind it that is a number. Looked for at each label anew, a thousand take a second. */
function listNextNumbers(labels: readonly DayLabel[]): (string | undefined)[] {
  let next: string | undefined;
  return labels
    .toReversed()
    .map(({ label }) => {
      const behind = next;
      if (/^\d{1,2}$/.test(label)) next = label;
      return behind;
    })
    .toReversed();
}

// 六 and 日 come again each week: the next number beside them says which week it is.
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

function isDayLike(label: string): boolean {
  return /^(?:\d{1,2}|[日一二三四五六])$/.test(label);
}
