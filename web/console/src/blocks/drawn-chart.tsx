import { theme } from "antd";
import { BarChart, LineChart, PieChart } from "echarts/charts";
import { DatasetComponent, GridComponent, LegendComponent, TooltipComponent } from "echarts/components";
import { type EChartsCoreOption, type EChartsType, init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";

export interface ChartProps {
  readonly option: EChartsCoreOption;
  readonly height: number;
  readonly label: string;
}

use([
  BarChart,
  LineChart,
  PieChart,
  DatasetComponent,
  GridComponent,
  LegendComponent,
  TooltipComponent,
  CanvasRenderer,
]);

type Token = ReturnType<typeof theme.useToken>["token"];

const toChartTheme = (token: Token) => {
  const text = { color: token.colorTextSecondary };
  const axis = {
    axisLabel: text,
    axisLine: { lineStyle: { color: token.colorBorder } },
    splitLine: { lineStyle: { color: token.colorSplit } },
  };
  return {
    color: [token.colorPrimary, "#0891b2", "#16a34a", "#d97706", "#db2777", "#7c3aed"],
    textStyle: { ...text, fontFamily: token.fontFamily },
    legend: { textStyle: text },
    categoryAxis: axis,
    timeAxis: axis,
    valueAxis: axis,
  };
};

export function DrawnChart({ option, height, label }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>(null);
  const { token } = theme.useToken();
  useEffect(() => {
    if (!place.current) return undefined;
    const drawn = init(place.current, toChartTheme(token));
    chart.current = drawn;
    const watch = new ResizeObserver(() => drawn.resize());
    watch.observe(place.current);
    return () => {
      watch.disconnect();
      drawn.dispose();
    };
  }, [token]);
  useEffect(() => {
    const { tooltip, ...rest } = option as { tooltip?: object };
    chart.current?.setOption(
      {
        animation: token.motion,
        grid: { left: 8, right: 8, top: 16, bottom: 8, containLabel: true },
        ...rest,
        // The tooltip is drawn on the canvas, since the CSP forbids the inline styles of an HTML tooltip.
        ...(tooltip && {
          tooltip: {
            renderMode: "richText",
            backgroundColor: token.colorBgElevated,
            borderColor: token.colorBorder,
            textStyle: { color: token.colorText },
            ...tooltip,
          },
        }),
      },
      { notMerge: true },
    );
  }, [option, token]);
  return <div ref={place} role="img" aria-label={label} style={{ height }} />;
}
