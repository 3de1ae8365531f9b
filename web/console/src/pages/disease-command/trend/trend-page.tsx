import { Skeleton } from "antd";
import { type ReactNode, useMemo } from "react";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import type { CallFailure } from "#shared/call/failure.ts";
import { useTrendTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { TrendViews } from "#console/pages/disease-command/trend/trend-views.tsx";
import { Chart } from "#console/blocks/chart.tsx";
import { formatCount } from "#console/blocks/format.ts";
import "#console/pages/disease-command/records/page.css";

interface TrendPageProps {
  readonly title: string;
  readonly list: string;
  readonly days: readonly string[] | undefined;
  readonly failure: CallFailure | null;
  readonly onRetry: () => void;
  readonly children: ReactNode;
}

export function TrendPage({ title, list, days, failure, onRetry, children }: TrendPageProps) {
  const t = useTexts();
  return (
    <>
      <PageHead title={title} about={days && days.length > 0 && t.lastDays(days.length)}>
        <TrendViews list={list} view="trend" />
      </PageHead>
      {failure ? (
        <section className="q-card">
          <Failure failure={failure} onRetry={onRetry} />
        </section>
      ) : days === undefined ? (
        <section className="q-card">
          <Skeleton active />
        </section>
      ) : days.length === 0 ? (
        <section className="q-card">
          <p className="q-soft">{t.nothing}</p>
        </section>
      ) : (
        children
      )}
    </>
  );
}

interface DayChartProps {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly DaySeries[];
  readonly shape: "bars" | "lines";
}

export function DayChart({ title, days, series, shape }: DayChartProps) {
  const t = useTexts();
  const option = useMemo(
    () => ({
      tooltip: { trigger: "axis" },
      legend: { top: 0, type: "plain" },
      grid: { left: 8, right: 16, top: 40, bottom: 8, containLabel: true },
      xAxis: { type: "category", data: days.map((day) => day.slice(5)) },
      yAxis: { type: "value", minInterval: 1 },
      series: series.map(({ name, values }) => ({
        name,
        data: values,
        ...(shape === "bars" ? { type: "bar", stack: "all", barMaxWidth: 32 } : { type: "line" }),
      })),
    }),
    [days, series, shape],
  );
  const told = days.map((_day, index) =>
    (shape === "bars" ? series : series.slice(0, 1)).reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
  const most = Math.max(...told);
  const [from = "", to = ""] = [days[0], days.at(-1)];
  const label = t.summary(
    title,
    from,
    to,
    formatCount(told.at(-1) ?? 0),
    formatCount(most),
    days[told.indexOf(most)] ?? "",
  );
  return (
    <section className="q-card q-disease-below" aria-label={title}>
      <div className="q-disease-head">
        <h2>{title}</h2>
      </div>
      <Chart option={option} height={280} label={label} />
    </section>
  );
}

interface Dated {
  readonly statisticsDate: string;
}

interface DaySeries {
  readonly name: string;
  readonly values: readonly number[];
}

export const mostRecords = 1000;
const mostDays = 30;
const mostNames = 6;

/**
 * Expects records newest first and returns the latest 30 dates in ascending order. If the records are truncated, the
 * earliest date may be incomplete and is dropped, unless it is the only one.
 */
export function listDays(records: readonly Dated[], isCut: boolean): string[] {
  const days = [...new Set(records.map(({ statisticsDate }) => statisticsDate))];
  const whole = isCut && days.length > 1 ? days.slice(0, -1) : days;
  return whole.slice(0, mostDays).toReversed();
}

export const sumDays = <R extends Dated>(
  records: readonly R[],
  days: readonly string[],
  of: (record: R) => number,
): number[] => {
  const sums = new Map(days.map((day) => [day, 0]));
  for (const record of records) {
    const sum = sums.get(record.statisticsDate);
    if (sum !== undefined) sums.set(record.statisticsDate, sum + of(record));
  }
  return [...sums.values()];
};

interface NamedRecords<R> {
  readonly name: string;
  readonly records: readonly R[];
}

/** The groups are sorted by size. If there are more than six, the sixth and later ones are merged as `others`. */
export function groupDays<R extends Dated>(
  records: readonly R[],
  days: readonly string[],
  { nameOf, sizeOf, others }: { nameOf: (record: R) => string; sizeOf: (record: R) => number; others: string },
): NamedRecords<R>[] {
  const shown = new Set(days);
  const own = records.filter(({ statisticsDate }) => shown.has(statisticsDate));
  const groups = [...Map.groupBy(own, nameOf)]
    .map(([name, named]) => ({ name, records: named, size: named.reduce((sum, record) => sum + sizeOf(record), 0) }))
    .toSorted((one, other) => other.size - one.size)
    .map(({ name, records: named }) => ({ name, records: named }));
  if (groups.length <= mostNames) return groups;
  const rest = groups.slice(mostNames - 1).flatMap((group) => group.records);
  return [...groups.slice(0, mostNames - 1), { name: others, records: rest }];
}
