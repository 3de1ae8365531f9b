import { Counting } from "#screen/blocks/counting.tsx";
import { Nothing, Panel } from "#screen/blocks/panel.tsx";
import { TrendChart } from "#screen/blocks/trend-chart.tsx";
import type { Overview } from "#screen/feed/use-feed.ts";
import { formatCount, formatShare } from "#screen/format.ts";
import { shareOf, toDetectionFigures, toShares } from "#screen/panels/detection-figures.ts";
import { useTexts } from "#screen/texts.ts";

export function Detection({ rows }: { readonly rows: Overview["detectionStatistics"] }) {
  const t = useTexts();
  const figures = toDetectionFigures(rows, t.detection.others);
  const { days, series } = figures;
  const [lastDay] = days.slice(-1);
  if (lastDay === undefined)
    return (
      <Panel area="detection" title={t.detection.title} data={rows}>
        <Nothing>{t.detection.none}</Nothing>
      </Panel>
    );
  const said = series.map(({ name, values }) => `${name} ${formatCount(values.at(-1) ?? 0)}`).join("; ");
  return (
    <Panel area="detection" title={t.detection.title} data={rows} about={lastDay}>
      <div className="s-share">
        <span>{t.detection.share}</span>
        <strong data-some={figures.abnormal > 0 || undefined}>
          <Counting value={shareOf(figures)} format={formatShare} />
        </strong>
        <span>{t.detection.abnormal(formatCount(figures.abnormal))}</span>
        <ShareBars days={days} shares={toShares(rows, days)} />
      </div>
      <TrendChart label={`${t.detection.trend}: ${lastDay} ${said}`} days={days} series={series} />
      <ul className="s-legend">
        {series.map(({ name, values }, place) => (
          <li key={name} style={{ color: `var(--s-${place})` }}>
            <i aria-hidden />
            <span>{name}</span>
            <Counting value={values.at(-1) ?? 0} format={formatCount} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ShareBars({ days, shares }: { readonly days: readonly string[]; readonly shares: readonly number[] }) {
  const most = Math.max(...shares, Number.MIN_VALUE);
  return (
    <svg className="s-share-bars" viewBox={`0 0 ${shares.length} 10`} preserveAspectRatio="none" aria-hidden>
      {shares.map((share, place) => (
        <rect
          key={days[place]}
          x={place + 0.15}
          width="0.7"
          y={10 - (share / most) * 10}
          height={(share / most) * 10}
        />
      ))}
    </svg>
  );
}
