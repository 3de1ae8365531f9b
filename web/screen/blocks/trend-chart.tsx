import { useRef } from "react";
import { readRem, useSize } from "#screen/blocks/use-size.ts";
import { formatTick } from "#screen/format.ts";

export interface Series {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
}

interface TrendChartProps {
  readonly label: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
}

// The chart is SVG without a library, since a chart library would multiply the size of the page's code.
export function TrendChart({ label, days, series }: TrendChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  return (
    <div ref={box} className="s-chart" role="img" aria-label={label}>
      {size.width > 0 && size.height > 0 && <Drawing {...size} days={days} series={series} />}
    </div>
  );
}

interface DrawingProps extends Omit<TrendChartProps, "label"> {
  readonly width: number;
  readonly height: number;
}

function Drawing({ width, height, days, series }: DrawingProps) {
  const rem = readRem();
  const [left, bottom, top] = [10.5 * rem, 4.2 * rem, 1.8 * rem];
  const right = 1.2 * rem;
  const ticks = toTicks(Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))), 4);
  const most = ticks.at(-1) ?? 1;
  const toX = (place: number) =>
    left + (days.length < 2 ? 0.5 : place / (days.length - 1)) * Math.max(1, width - left - right);
  const toY = (value: number) => top + (1 - value / most) * Math.max(1, height - top - bottom);
  const dayRoom = Math.max(2, Math.floor((width - left) / (13 * rem)));
  return (
    <svg width={width} height={height} aria-hidden>
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="s-chart-grid" x1={left} x2={width - right} y1={toY(tick)} y2={toY(tick)} />
          <text className="s-chart-text" x={left - rem} y={toY(tick)} textAnchor="end" dominantBaseline="central">
            {formatTick(tick)}
          </text>
        </g>
      ))}
      {pickDays(days, dayRoom).map(({ day, place }) => (
        <text
          key={day}
          className="s-chart-text"
          x={toX(place)}
          y={height - 0.6 * rem}
          textAnchor={place === days.length - 1 && days.length > 1 ? "end" : "middle"}
        >
          {day.slice(5)}
        </text>
      ))}
      {series.map(({ name, values }, place) => (
        <Curve
          key={name}
          place={place}
          points={values.map((value, at) => value !== undefined && [toX(at), toY(value)])}
        />
      ))}
    </svg>
  );
}

type Point = false | readonly [x: number, y: number];

function Curve({ place, points }: { readonly place: number; readonly points: readonly Point[] }) {
  const drawn = points.filter((point) => point !== false);
  const last = drawn.at(-1);
  if (!last) return null;
  const path = drawn.map(([x, y], at) => `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  return (
    <g className={`s-series-${place}`} style={{ color: `var(--s-${place})` }}>
      <path className="s-chart-line" d={path} />
      <circle className="s-chart-end" cx={last[0]} cy={last[1]} r="0.5rem" />
    </g>
  );
}

const steps = [1, 2, 2.5, 5, 10] as const;

/** Ticks are whole numbers, since people are counted. */
function toTicks(most: number, count: number): number[] {
  const rough = Math.max(1, most / count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, Math.ceil((steps.find((one) => one * power >= rough) ?? 10) * power));
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, place) => place * step);
}

function pickDays(days: readonly string[], most: number): { readonly day: string; readonly place: number }[] {
  const step = Math.max(1, Math.ceil(days.length / most));
  return days.map((day, place) => ({ day, place })).filter(({ place }) => (days.length - 1 - place) % step === 0);
}
