import { diseaseCommand } from "#shared/api/disease-command.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { StatCard } from "#console/blocks/stat-card.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import "#console/pages/disease-command/fever-clinic/fever-clinic.css";
import { texts } from "#console/pages/disease-command/fever-clinic/texts.ts";
import "#console/pages/disease-command/records/page.css";
import { Ranking } from "#console/pages/disease-command/records/ranking.tsx";

// As many as the block of the big screen shows.
const most = 6;

/** The figures of the latest day, as the big screen shows them. */
export function LatestFigures() {
  const t = useTexts(texts);
  const { data, error, refetch } = useRead(diseaseCommand.findLastFeverClinics, {});
  if (error)
    return (
      <section className="q-card">
        <Failure failure={error} onRetry={refetch} />
      </section>
    );
  const sum = (field: "feverClinicCount" | "epidemicCount") =>
    data && formatCount(data.reduce((total, row) => total + row[field], 0));
  const [first] = data ?? [];
  const top = data?.slice(0, most) ?? [];
  return (
    <section className="q-card" aria-label={t.latest}>
      <div className="q-disease-head">
        <h2>{first ? t.latestOf(first.statisticsDate) : t.latest}</h2>
      </div>
      {data?.length === 0 ? (
        <p className="q-soft">{t.noLatest}</p>
      ) : (
        <div className="q-disease-latest">
          <div className="q-stats">
            <StatCard label={t.hospitals} value={data && formatCount(data.length)} unit={t.units} />
            <StatCard label={t.feverClinicCount} value={sum("feverClinicCount")} unit={t.persons} />
            <StatCard label={t.epidemicCount} value={sum("epidemicCount")} unit={t.persons} />
          </div>
          <Ranking
            title={t.top(top.length)}
            format={(count) => `${formatCount(count)} ${t.persons}`}
            rows={top.map(({ id, hospitalName, feverClinicCount }) => ({
              id,
              name: hospitalName,
              value: feverClinicCount,
            }))}
          />
        </div>
      )}
    </section>
  );
}
