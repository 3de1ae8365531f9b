import { useMemo } from "react";
import { Chart } from "#console/blocks/chart.tsx";
import { formatInstant } from "#console/blocks/format.ts";

export interface Sample {
  readonly atMs: number;
  readonly value: number;
}

interface PartTrendProps {
  readonly label: string;
  readonly samples: readonly Sample[];
}

/** The course of a part's main figure while the page has been open. */
export function PartTrend({ label, samples }: PartTrendProps) {
  const option = useMemo(
    () => ({
      grid: { left: 4, right: 12, top: 12, bottom: 0, containLabel: true },
      tooltip: { trigger: "axis" },
      xAxis: {
        type: "category",
        boundaryGap: false,
        axisTick: { show: false },
        data: samples.map(({ atMs }) => formatInstant(atMs).slice(11)),
      },
      yAxis: { type: "value", minInterval: 1, splitNumber: 2 },
      series: [
        {
          name: label,
          type: "line",
          showSymbol: false,
          areaStyle: { opacity: 0.1 },
          data: samples.map(({ value }) => value),
        },
      ],
    }),
    [label, samples],
  );
  return <Chart option={option} height={120} label={label} />;
}
