import { Skeleton } from "antd";
import type { ChartProps } from "#console/blocks/drawn-chart.tsx";
import { late } from "#console/blocks/late.tsx";

// ECharts is large, so it loads only when the first chart is shown.
export const Chart = late<ChartProps>(
  async () => (await import("#console/blocks/drawn-chart.tsx")).DrawnChart,
  ({ height }) => <Skeleton.Node active className="q-wide" styles={{ content: { height } }} />,
);
