import { Descriptions, Skeleton } from "antd";
import { platform } from "#console/api/platform.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { formatBytes, formatCount } from "#console/blocks/format.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import { Status, type Tone } from "#console/blocks/status.tsx";
import type { DataOf } from "#console/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/platform/texts.ts";

type Part = DataOf<typeof platform.getHealth>["parts"][number];

const everyMs = 5000;
const tones: Readonly<Record<Part["state"], Tone>> = { ok: "success", degraded: "warning", failed: "error" };

/** Each part of the platform with its state and figures. */
export function HealthPage() {
  const t = useTexts(texts);
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

function PartCard({ part: { name, state, figures } }: { readonly part: Part }) {
  const t = useTexts(texts);
  const title = name in t.parts ? t.parts[name as keyof typeof t.parts] : name;
  return (
    <section className="q-card" aria-label={title}>
      <Descriptions
        size="small"
        column={1}
        title={title}
        extra={<Status tone={tones[state]}>{t.states[state]}</Status>}
        items={Object.entries(figures).map(([key, value]) => ({
          key,
          label: key in t.figures ? t.figures[key as keyof typeof t.figures] : key,
          children: <span className="q-figures">{showFigure(key, value, t)}</span>,
        }))}
      />
    </section>
  );
}

type PlatformTexts = (typeof texts)["zh"] | (typeof texts)["en"];

/** A figure in its unit, which the end of its name tells. */
function showFigure(key: string, value: Part["figures"][string], t: PlatformTexts): string {
  if (value === null || value === undefined) return "—";
  if (typeof value === "boolean") return value ? t.yes : t.no;
  if (typeof value === "string") return value in t.reasons ? t.reasons[value as keyof typeof t.reasons] : value;
  if (key.endsWith("Bytes")) return formatBytes(value);
  if (key.endsWith("Ms")) return `${value} ${t.ms}`;
  if (key.endsWith("Seconds")) return `${formatCount(value)} ${t.s}`;
  return formatCount(value);
}
