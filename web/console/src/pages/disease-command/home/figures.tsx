import { diseaseCommand } from "#shared/api/disease-command.ts";
import { addDays, formatCount } from "#console/blocks/format.ts";
import { everyMs, StatCard } from "#console/blocks/stat-card.tsx";
import { recentFeverClinics } from "#console/pages/disease-command/home/waiting.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/disease-command/home/texts.ts";

const list = "/disease-command/fever-clinics";

export function DiseaseFigures() {
  const t = useTexts();
  const { data, isError } = useRead(diseaseCommand.findLastFeverClinics, {}, { everyMs });
  const [first] = data ?? [];
  const before = first && addDays(first.statisticsDate, -1);
  const recent = recentFeverClinics();
  const given =
    before === undefined || before >= recent.query.startDate
      ? recent
      : { query: { ...recent.query, startDate: before, endDate: before } };
  const { data: found } = useRead(diseaseCommand.listFeverClinics, given);
  const earlier = found?.list.filter(({ statisticsDate }) => statisticsDate === before);
  const card = (label: string, field: "feverClinicCount" | "epidemicCount") => {
    const sum = (rows: typeof data = []) => formatCount(rows.reduce((total, row) => total + row[field], 0));
    return (
      <StatCard
        label={label}
        value={data && sum(data)}
        unit={t.persons}
        about={earlier && (earlier.length > 0 ? t.dayBefore(sum(earlier)) : t.noDayBefore)}
        to={list}
      />
    );
  };
  return (
    <div className="q-stats">
      <StatCard
        label={t.uploaded}
        value={isError ? "—" : data && (first?.statisticsDate ?? t.never)}
        about={first && t.hospitals(formatCount(data?.length ?? 0))}
        to={list}
      />
      {first && card(t.patients, "feverClinicCount")}
      {first && card(t.epidemic, "epidemicCount")}
    </div>
  );
}
