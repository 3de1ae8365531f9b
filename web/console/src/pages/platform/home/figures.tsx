import { platform } from "#shared/api/platform.ts";
import { formatCount, joinWords } from "#console/blocks/format.ts";
import { everyMs, StatCard } from "#console/blocks/stat-card.tsx";
import type { Tone } from "#console/blocks/status.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useLanguage } from "#shared/language/language.ts";
import { useTexts } from "#console/pages/platform/home/texts.ts";

const page = { curPage: 1, pageSize: 1 };

export function PlatformFigures() {
  const t = useTexts();
  const [language] = useLanguage();
  const health = useRead(platform.getHealth, {}, { everyMs });
  const sessions = useRead(platform.listSessions, { query: page }, { everyMs });
  const ailing = health.data?.parts.filter(({ state }) => state !== "ok") ?? [];
  const tone: Tone = ailing.some(({ state }) => state === "failed")
    ? "error"
    : ailing.length > 0
      ? "warning"
      : "default";
  const waiting = health.data?.parts.find(({ name }) => name === "jobs")?.figures["waiting"];
  return (
    <>
      <div className="q-stats">
        <StatCard
          label={t.health}
          value={
            health.isError
              ? "—"
              : health.data &&
                (ailing.length === 0 ? t.healthy : t.degraded(joinWords(ailing.map(({ title }) => title[language]))))
          }
          tone={tone}
          to="/platform/health"
        />
        <StatCard
          label={t.sessions}
          value={sessions.isError ? "—" : sessions.data && formatCount(sessions.data.totalCount)}
          unit={t.sessionUnit}
          to="/platform/sessions"
        />
        <StatCard
          label={t.jobs}
          value={health.isError ? "—" : health.data && (typeof waiting === "number" ? formatCount(waiting) : "—")}
          unit={t.jobUnit}
          to="/platform/health"
        />
      </div>
    </>
  );
}
