import { attendance } from "#shared/api/attendance.ts";
import { formatCount } from "#console/blocks/format.ts";
import { everyMs, StatCard } from "#console/blocks/stat-card.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/attendance/home/texts.ts";

type Month = RecordOf<typeof attendance.listMonths>;
const running = 1;
const list = "/attendance/months";

export function AttendanceFigures() {
  const t = useTexts();
  const { data, isError } = useRead(attendance.listMonths, {}, { everyMs });
  const [latest] = data ?? [];
  return (
    <div className="q-stats">
      <StatCard
        label={t.latest}
        value={isError ? "—" : data && (latest?.month ?? t.empty)}
        about={latest && <Latest month={latest} />}
        to={list}
      />
    </div>
  );
}

function Latest({ month: { employees, statu, analyseTime } }: { readonly month: Month }) {
  const t = useTexts();
  const state =
    statu === running ? t.running : analyseTime === null ? t.notAnalysed : t.analysed(analyseTime.slice(0, 16));
  return `${t.employees(formatCount(employees))} · ${state}`;
}
