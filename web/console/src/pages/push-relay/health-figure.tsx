import type { ReactNode } from "react";
import { formatCount } from "#console/blocks/format.ts";
import { Sparkline } from "#console/blocks/sparkline.tsx";
import { formatDuration, formatRate, type Health, toCourse, toRate } from "#console/pages/push-relay/project.tsx";
import { useTexts } from "#console/pages/push-relay/texts.ts";
import "#console/pages/push-relay/push-relay.css";

interface FigureProps {
  readonly health: Health | undefined;
  readonly large?: boolean;
}

const lowestGoodRate = 95;

export function RateFigure({ health, large }: FigureProps) {
  const t = useTexts();
  if (!health) return null;
  const rate = toRate(health);
  if (rate === undefined) return <NoFigure />;
  return (
    <HealthFigure
      label={t.chart(t.rate, formatRate(rate), health.since)}
      values={toCourse(health.slices.map(toRate))}
      most={100}
      bad={rate < lowestGoodRate}
      large={large}
    >
      {formatRate(rate)}
    </HealthFigure>
  );
}

export function LatencyFigure({ health, large }: FigureProps) {
  const t = useTexts();
  if (!health) return null;
  if (health.medianMs === null) return <NoFigure />;
  const value = formatDuration(health.medianMs, t);
  return (
    <HealthFigure
      label={t.chart(t.latency, value, health.since)}
      values={toCourse(health.slices.map(({ medianMs }) => medianMs))}
      large={large}
    >
      {value}
    </HealthFigure>
  );
}

interface BacklogProps extends FigureProps {
  readonly pending: number;
}

export function BacklogFigure({ health, pending, large }: BacklogProps) {
  const t = useTexts();
  if (!health) return null;
  return (
    <HealthFigure
      label={t.chart(t.backlog, formatCount(pending), health.since)}
      values={[...health.slices.slice(0, -1).map((slice) => slice.pending), pending]}
      large={large}
    >
      {formatCount(pending)}
    </HealthFigure>
  );
}

interface HealthFigureProps {
  readonly label: string;
  readonly values: readonly number[];
  readonly most?: number;
  readonly bad?: boolean;
  readonly large?: boolean | undefined;
  readonly children: ReactNode;
}

function HealthFigure({ label, values, most, bad = false, large = false, children }: HealthFigureProps) {
  return (
    <span className={bad ? "q-push-figure q-push-bad" : "q-push-figure"}>
      <Sparkline
        values={values}
        label={label}
        {...(most !== undefined && { most })}
        {...(large ? { width: 176, height: 36 } : { width: 56, height: 20 })}
      />
      <span className="q-figures">{children}</span>
    </span>
  );
}

function NoFigure() {
  const t = useTexts();
  return <span className="q-soft">{t.noAttempts}</span>;
}
