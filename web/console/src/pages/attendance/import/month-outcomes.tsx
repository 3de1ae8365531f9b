import { attendance } from "#shared/api/attendance.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { MonthCoverage } from "#console/pages/attendance/coverage/month-coverage.tsx";
import { WarningList } from "#console/pages/attendance/import/warning-list.tsx";
import { isActive, type Task } from "#console/pages/attendance/import/tasks.ts";
import { texts } from "#console/pages/attendance/texts.ts";

/**
 * What the months have of all their files, once all are in: what each answer said of days and people was so only until
 * the next file came.
 */
export function MonthOutcomes({ tasks }: { readonly tasks: readonly Task[] }) {
  if (tasks.some(isActive)) return null;
  const months = new Set(tasks.flatMap(({ answer }) => answer?.month ?? []));
  return [...months].map((month) => (
    <MonthOutcome key={month} month={month} tasks={tasks.filter(({ answer }) => answer?.month === month)} />
  ));
}

const busyMs = 700;

function MonthOutcome({ month, tasks }: { readonly month: string; readonly tasks: readonly Task[] }) {
  const t = useTexts(texts);
  const { data } = useRead(
    attendance.findStatus,
    { query: { month } },
    { everyMs: (last) => (last?.statu === 1 ? busyMs : undefined) },
  );
  if (!data) return null;
  // Of a month's files it tells; the list of identity cards is none of its days.
  const identities = tasks.filter(({ sheet }) => sheet === "work").map(({ answer }) => answer?.waring ?? "");
  const lines = [data.waring, ...identities].flatMap((waring) => waring.split("\n")).filter((line) => line !== "");
  return (
    <section className="q-attendance-month-outcome">
      <h3 className="q-attendance-part">{t.monthHas(month)}</h3>
      {data.covered.length > 0 && <MonthCoverage month={month} covered={data.covered} />}
      {lines.length > 0 && <h4 className="q-attendance-part">{t.warnings}</h4>}
      <WarningList waring={[...new Set(lines)].join("\n")} />
    </section>
  );
}
