import { Descriptions, Skeleton } from "antd";
import { platform } from "#shared/api/platform.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { formatBytes, formatCount } from "#console/blocks/format.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import { Status, type Tone } from "#console/blocks/status.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useLanguage } from "#shared/language/language.ts";
import { useTexts } from "#console/pages/platform/texts.ts";
import { useServiceNames } from "#console/sections.ts";

type Part = DataOf<typeof platform.getHealth>["parts"][number];

const everyMs = 5000;
const tones: Readonly<Record<Part["state"], Tone>> = { ok: "success", degraded: "warning", failed: "error" };

export function HealthPage() {
  const t = useTexts();
  const { data, error, refetch } = useRead(platform.getHealth, {}, { everyMs });
  return (
    <>
      <PageHead title={t.health} about={t.healthAbout} />
      {error && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active />}
      <div className="q-parts">
        {data?.parts.map((part) => (
          <PartCard key={part.name} part={part} />
        ))}
      </div>
    </>
  );
}

function PartCard({ part: { title, state, figures } }: { readonly part: Part }) {
  const t = useTexts();
  const [language] = useLanguage();
  const nameService = useServiceNames();
  return (
    <section className="q-card" aria-label={title[language]}>
      <Descriptions
        size="small"
        column={1}
        title={title[language]}
        extra={<Status tone={tones[state]}>{t.states[state]}</Status>}
        items={Object.entries(figures).map(([key, value]) => ({
          key,
          label: nameFigure(key, t, nameService),
          children: <span className="q-figures">{showFigure(key, value, t)}</span>,
        }))}
      />
    </section>
  );
}

type PlatformTexts = ReturnType<typeof useTexts>;

/** A key may name the service after the figure, as in "usedBytes reporting". */
function nameFigure(key: string, t: PlatformTexts, nameService: (service: string) => string): string {
  const [figure = "", service] = key.split(" ");
  const name = figure in t.figures ? t.figures[figure as keyof typeof t.figures] : figure;
  if (service === undefined) return name;
  return t.figureOf(name, nameService(service));
}

function showFigure(key: string, value: Part["figures"][string], t: PlatformTexts): string {
  if (value === null || value === undefined) return "—";
  if (typeof value === "boolean") return value ? t.yes : t.no;
  if (typeof value === "string") return value in t.reasons ? t.reasons[value as keyof typeof t.reasons] : value;
  if (/Bytes\b/.test(key)) return formatBytes(value);
  if (key.endsWith("Ms")) return `${value} ${t.ms}`;
  if (key.endsWith("Seconds") || key.endsWith("Hours")) {
    const time = `${formatCount(value)} ${key.endsWith("Hours") ? t.h : t.s}`;
    return /age(?:Seconds|Hours)$/i.test(key) ? t.ago(time) : time;
  }
  const unit = key in t.figureUnits ? t.figureUnits[key as keyof typeof t.figureUnits] : "";
  return unit === "" ? formatCount(value) : `${formatCount(value)} ${unit}`;
}
