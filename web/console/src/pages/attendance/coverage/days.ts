import type { attendance } from "#shared/api/attendance.ts";
import type { RecordOf } from "#shared/call/operation.ts";

export type Covered = RecordOf<typeof attendance.listMonths>["covered"][number];
export type DatedSheet = Covered["sheet"];

/** Days as yyyy-MM-dd, both inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

/** What of a month, given as yyyy-MM, a day is to a sheet. */
export type DayState = "there" | "lacking" | "later";

const dayOf = (month: string, index: number): string => `${month}-${String(index + 1).padStart(2, "0")}`;

/** The days of a month, index 0 for the first. */
export const listDays = (month: string): string[] =>
  Array.from(
    { length: new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate() },
    (_, i) => dayOf(month, i),
  );

const isIn = (day: string, { from, to }: DayRange): boolean => from <= day && day <= to;

/**
 * The days of a month to a sheet. One that the sheet has not is lacking when it is over, or when another sheet has it.
 * @param today yyyy-MM-dd
 */
export function listStates(month: string, covered: readonly Covered[], sheet: DatedSheet, today: string): DayState[] {
  const own = covered.filter((each) => each.sheet === sheet);
  // The daily statistics come with the monthly summary or not at all; nothing waits for them.
  const others = covered.filter((each) => each.sheet !== "daily");
  return listDays(month).map((day) => {
    if (own.some((each) => isIn(day, each))) return "there";
    return day < today || others.some((each) => isIn(day, each)) ? "lacking" : "later";
  });
}

/** The days of a state, those that follow upon one another as one range. */
export function listRanges(month: string, states: readonly DayState[], wanted: DayState): DayRange[] {
  const ranges: { from: string; to: string }[] = [];
  for (const [index, state] of states.entries()) {
    if (state !== wanted) continue;
    const day = dayOf(month, index);
    const last = ranges.at(-1);
    if (last && states[index - 1] === wanted) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}

/** The part of a range that lies in another, or undefined. */
export function intersect(one: DayRange, other: DayRange): DayRange | undefined {
  const from = one.from > other.from ? one.from : other.from;
  const to = one.to < other.to ? one.to : other.to;
  return from <= to ? { from, to } : undefined;
}

export const rangeOfMonth = (month: string): DayRange => ({ from: `${month}-01`, to: listDays(month).at(-1) ?? "" });
