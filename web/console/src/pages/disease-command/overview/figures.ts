import type { Overview } from "#console/pages/disease-command/overview/use-changes.ts";

/** A day's tests of all categories of people. */
export interface DayTested {
  readonly day: string;
  readonly tested: number;
  readonly abnormal: number;
}

/** The tests by day, earliest first. */
export function sumByDay(rows: Overview["detectionStatistics"]): DayTested[] {
  const days = new Map<string, DayTested>();
  for (const { statisticsDate: day, detectionCount, abnormalCount } of rows) {
    const { tested = 0, abnormal = 0 } = days.get(day) ?? {};
    days.set(day, { day, tested: tested + detectionCount, abnormal: abnormal + abnormalCount });
  }
  return [...days.values()].toSorted((one, other) => one.day.localeCompare(other.day));
}

export const sumOf = <R>(rows: readonly R[], of: (row: R) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

/** What is spent is given with decimals; a person reads two. */
export const formatMoney = (value: number): string => value.toLocaleString("en-GB", { maximumFractionDigits: 2 });
