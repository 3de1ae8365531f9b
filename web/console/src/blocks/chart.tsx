import { Skeleton } from "antd";
import type { EChartsCoreOption } from "echarts/core";
import { late } from "#console/blocks/late.tsx";

export interface ChartProps {
  /** What ECharts takes: line, bar and pie series, grid, legend, tooltip and data set. */
  readonly option: EChartsCoreOption;
  readonly height: number;
  /** What it shows, for those who cannot see it. */
  readonly label: string;
}

// ECharts is half as large as the rest of the console: it comes when a chart is first shown.
/** A chart in the colours of the theme. */
export const Chart = late<ChartProps>(
  async () => (await import("#console/blocks/drawn-chart.tsx")).DrawnChart,
  ({ height }) => <Skeleton.Node active className="q-wide" styles={{ content: { height } }} />,
);
