import { Skeleton } from "antd";
import type { EChartsCoreOption } from "echarts/core";
import { lazy, Suspense } from "react";

export interface ChartProps {
  /** What ECharts takes: line, bar and pie series, grid, legend, tooltip and data set. */
  readonly option: EChartsCoreOption;
  readonly height: number;
  /** What it shows, for those who cannot see it. */
  readonly label: string;
}

// ECharts is half as large as the rest of the console: it comes when a chart is first shown.
const Drawn = lazy(async () => ({ default: (await import("#console/blocks/drawn-chart.tsx")).DrawnChart }));

/** A chart in the colours of the theme. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<Skeleton.Node active className="q-wide" styles={{ content: { height: props.height } }} />}>
      <Drawn {...props} />
    </Suspense>
  );
}
