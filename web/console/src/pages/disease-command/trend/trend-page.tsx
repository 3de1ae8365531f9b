import { Skeleton } from "antd";
import { type ReactNode, useMemo } from "react";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import type { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/disease-command/trend/texts.ts";
import { TrendViews } from "#console/pages/disease-command/trend/trend-views.tsx";
import { Chart } from "#console/blocks/chart.tsx";
import { formatCount } from "#console/blocks/format.ts";
import type { DaySeries } from "#console/pages/disease-command/trend/by-day.ts";
import "#console/pages/disease-command/records/page.css";

interface TrendPageProps {
  readonly title: string;
  /** The address of the list. */
  readonly list: string;
  /** undefined while they are read. */
  readonly days: readonly string[] | undefined;
  readonly failure: CallFailure | null;
  readonly onRetry: () => void;
  /** The charts; not shown without a day. */
  readonly children: ReactNode;
}

/** The figures of a list by day, as charts. */
export function TrendPage({ title, list, days, failure, onRetry, children }: TrendPageProps) {
  const t = useTexts(texts);
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
  /** Earliest first, at least one. */
  readonly days: readonly string[];
  readonly series: readonly DaySeries[];
  /** Bars on each other make a whole; lines are figures by themselves, of which the first is told to who cannot see. */
  readonly shape: "bars" | "lines";
}

/** Figures by day, under a heading. */
export function DayChart({ title, days, series, shape }: DayChartProps) {
  const t = useTexts(texts);
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
