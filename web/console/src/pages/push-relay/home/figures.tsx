import { platform } from "#shared/api/platform.ts";
import { formatCount } from "#console/blocks/format.ts";
import { everyMs, StatCard } from "#console/blocks/stat-card.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/push-relay/home/texts.ts";

const list = "/push-relay/deliveries";

/** Only operators run the relay, so only they see these figures and may read its health. */
export function PushRelayFigures() {
  const t = useTexts();
  const { data, isError } = useRead(platform.getHealth, {}, { everyMs });
  const figures = data && (data.parts.find(({ name }) => name === "relay")?.figures ?? {});
  const count = (name: string) => {
    const figure = figures?.[name];
    return isError ? "—" : figures && (typeof figure === "number" ? formatCount(figure) : "—");
  };
  return (
    <div className="q-stats">
      <StatCard label={t.pending} value={count("pending")} unit={t.unit} to={`${list}?status=pending`} />
      <StatCard
        label={t.perMinute}
        value={count("deliveredPerMinute")}
        unit={t.unit}
        about={t.lastMinute}
        to={`${list}?status=delivered`}
      />
    </div>
  );
}
