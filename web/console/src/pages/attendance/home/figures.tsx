import { attendance } from "#shared/api/attendance.ts";
import { formatCount, joinWords } from "#console/blocks/format.ts";
import { everyMs, StatCard } from "#console/blocks/stat-card.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/attendance/home/texts.ts";

type Month = RecordOf<typeof attendance.listMonths>;
const states = { waiting: 0, running: 1, finished: 2, failed: 3 } as const;
const list = "/attendance/months";

export function AttendanceFigures() {
  const t = useTexts();
  const { data, isError } = useRead(attendance.listMonths, {}, { everyMs });
  const waiting = data?.filter(({ statu, employees }) => statu === states.waiting && employees > 0);
  const failed = data?.filter(({ statu }) => statu === states.failed) ?? [];
  const [latest] = data ?? [];
  return (
    <div className="q-stats">
      <StatCard
        label={t.waiting}
        value={isError ? "—" : waiting && formatCount(waiting.length)}
        unit={t.unit}
        about={(waiting && joinWords(waiting.map(({ month }) => month))) || undefined}
        tone={waiting && waiting.length > 0 ? "warning" : "default"}
        to={list}
      />
      {failed.length > 0 && (
        <StatCard
          label={t.failed}
          value={formatCount(failed.length)}
          unit={t.unit}
          about={joinWords(failed.map(({ month }) => month))}
          tone="error"
          to={list}
        />
      )}
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
    statu === states.running ? t.running : analyseTime === null ? t.notAnalysed : t.analysed(analyseTime.slice(0, 16));
  return `${t.employees(formatCount(employees))} · ${state}`;
}
