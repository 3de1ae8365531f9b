import type { Series } from "#screen/blocks/trend-chart.tsx";
import type { Overview } from "#screen/feed/use-feed.ts";

type Rows = Overview["detectionStatistics"];

/** Viewers could not tell more lines apart, so the rest are summed. */
const mostSeries = 5;

export interface DetectionFigures {
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly tested: number;
  readonly abnormal: number;
}

export const shareOf = ({ tested, abnormal }: Pick<DetectionFigures, "tested" | "abnormal">): number =>
  tested > 0 ? abnormal / tested : 0;

export function toDetectionFigures(rows: Rows, others: string): DetectionFigures {
  const days = [...new Set(rows.map(({ statisticsDate }) => statisticsDate))].toSorted();
  const last = rows.filter(({ statisticsDate }) => statisticsDate === days.at(-1));
  return {
    days,
    series: toSeries(rows, days, others),
    tested: sum(last.map(({ detectionCount }) => detectionCount)),
    abnormal: sum(last.map(({ abnormalCount }) => abnormalCount)),
  };
}

export function toShares(rows: Rows, days: readonly string[]): number[] {
  return days.map((day) => {
    const ofDay = rows.filter(({ statisticsDate }) => statisticsDate === day);
    return shareOf({
      tested: sum(ofDay.map(({ detectionCount }) => detectionCount)),
      abnormal: sum(ofDay.map(({ abnormalCount }) => abnormalCount)),
    });
  });
}

function toSeries(rows: Rows, days: readonly string[], others: string): Series[] {
  const totals = new Map<string, number>();
  for (const { peopleType, detectionCount } of rows)
    totals.set(peopleType, (totals.get(peopleType) ?? 0) + detectionCount);
  const byTotal = [...totals].toSorted(([, one], [, other]) => other - one).map(([name]) => name);
  const own = byTotal.length > mostSeries ? byTotal.slice(0, mostSeries - 1) : byTotal;
  const rest = byTotal.slice(own.length);
  // The series are sorted by name, so that a change of rank does not change colours.
  const named = own.toSorted().map((name) => toOne(name, [name], rows, days));
  return rest.length > 0 ? [...named, toOne(others, rest, rows, days)] : named;
}

function toOne(name: string, types: readonly string[], rows: Rows, days: readonly string[]): Series {
  const byDay = new Map<string, number>();
  for (const { peopleType, statisticsDate, detectionCount } of rows)
    if (types.includes(peopleType)) byDay.set(statisticsDate, (byDay.get(statisticsDate) ?? 0) + detectionCount);
  return { name, values: days.map((day) => byDay.get(day)) };
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
