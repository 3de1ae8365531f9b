import { diseaseCommand } from "#shared/api/disease-command.ts";
import { formatCount } from "#console/blocks/format.ts";
import { everyMs, StatCard } from "#console/blocks/stat-card.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/disease-command/home/texts.ts";

const list = "/disease-command/fever-clinics";

export function DiseaseFigures() {
  const t = useTexts();
  const { data, isError } = useRead(diseaseCommand.findLastFeverClinics, {}, { everyMs });
  const [first] = data ?? [];
  const sum = (field: "feverClinicCount" | "epidemicCount") =>
    data && formatCount(data.reduce((total, row) => total + row[field], 0));
  const of = first && t.of(first.statisticsDate);
  return (
    <div className="q-stats">
      <StatCard
        label={t.uploaded}
        value={isError ? "—" : data && (first?.statisticsDate ?? t.never)}
        about={first && t.hospitals(formatCount(data?.length ?? 0))}
        to={list}
      />
      {first && <StatCard label={t.patients} value={sum("feverClinicCount")} unit={t.persons} about={of} to={list} />}
      {first && <StatCard label={t.epidemic} value={sum("epidemicCount")} unit={t.persons} about={of} to={list} />}
    </div>
  );
}
