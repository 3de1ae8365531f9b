import { listDays, monthRange } from "./times.ts";
import type { DayRange } from "./parts.ts";

interface DayLabel {
  readonly column: number;
  readonly label: string;
}

const WEEKDAYS = "日一二三四五六";

/**
 * Which columns are the days of a month. The days go by position from the start of the title's range, never by
 * their labels, which are `六` and `日` on weekends and a holiday's name on holidays. Labels only tell where
 * the days begin in a sheet without a group heading, and which are gone where somebody deleted some.
 *
 * Without a range the days are taken to be those of the month. Index 0 is the first of the month, -1 no column;
 * `isCertain` is false where columns are missing.
 */
export function mapDays(
  labels: readonly DayLabel[],
  range: DayRange | null,
  month: string,
): { readonly columns: readonly number[]; readonly isCertain: boolean } {
  const days = listDays(range ?? monthRange(month));
  const candidates = dropLeading(labels, days);
  const byDay = new Map<string, number>();
  const isWhole = candidates.length >= days.length && alignsByPosition(candidates, days);
  if (isWhole) for (const [index, day] of days.entries()) byDay.set(day, candidates[index]?.column ?? -1);
  else for (const [day, column] of alignByLabels(candidates, days)) byDay.set(day, column);
  return { columns: listDays(monthRange(month)).map((day) => byDay.get(day) ?? -1), isCertain: isWhole };
}

// The first label that is plainly a day begins them: what stands before is a column that the readers do not know.
function dropLeading(labels: readonly DayLabel[], days: readonly string[]): readonly DayLabel[] {
  const start = labels.findIndex(({ label }) => days.some((day) => isLabelOf(label, day)));
  const first = labels[start];
  if (first === undefined) return [];
  // A holiday's name before it, as on 1 January, belongs to the days too if the position says so.
  const offset = days.findIndex((day) => isLabelOf(first.label, day));
  const from = start - offset;
  return labels.slice(from >= 0 && labels.length - from >= days.length ? from : start);
}

function alignsByPosition(labels: readonly DayLabel[], days: readonly string[]): boolean {
  return days.every((day, index) => {
    const label = labels[index]?.label ?? "";
    return isLabelOf(label, day) || !isDayLike(label);
  });
}

function* alignByLabels(labels: readonly DayLabel[], days: readonly string[]): Generator<readonly [string, number]> {
  let at = 0;
  for (const [index, { column, label }] of labels.entries()) {
    if (label === "") continue;
    const found = isDayLike(label)
      ? days.findIndex((day, place) => place >= at && fits(labels, index, days, place))
      : at;
    const day = days[found];
    if (day === undefined) continue;
    yield [day, column];
    at = found + 1;
  }
}

// 六 and 日 come again each week: the next number beside them says which week it is.
function fits(labels: readonly DayLabel[], index: number, days: readonly string[], place: number): boolean {
  const day = days[place];
  if (day === undefined || !isLabelOf(labels[index]?.label ?? "", day)) return false;
  if (/^\d+$/.test(labels[index]?.label ?? "")) return true;
  const next = labels.slice(index + 1).find(({ label }) => /^\d+$/.test(label));
  if (next === undefined) return true;
  const nextPlace = days.findIndex((later, laterPlace) => laterPlace > place && isLabelOf(next.label, later));
  return nextPlace !== -1 && nextPlace - place < 7;
}

function isLabelOf(label: string, day: string): boolean {
  if (/^\d{1,2}$/.test(label)) return Number(label) === Number(day.slice(8));
  return label !== "" && label === WEEKDAYS.charAt(new Date(day).getUTCDay());
}

function isDayLike(label: string): boolean {
  return /^(?:\d{1,2}|[日一二三四五六])$/.test(label);
}
