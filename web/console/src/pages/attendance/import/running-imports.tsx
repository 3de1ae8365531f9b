import { CheckCircleFilled, CloseCircleFilled, FileExcelOutlined, LoadingOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { clearTasks, isActive, type Task, useTasks } from "#console/pages/attendance/import/tasks.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { type ReactNode, useEffect, useRef } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { formatBytes, formatCount, joinWords } from "#console/blocks/format.ts";
import { ProgressLine } from "#console/blocks/progress-line.tsx";
import { ImportFaults } from "#console/blocks/import/import-parts.tsx";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";
import { MonthCoverage, useRanges } from "#console/pages/attendance/coverage/month-coverage.tsx";
import { useMay } from "#console/session/session.ts";
import { useRead } from "#console/call/use-call.ts";
import { WarningList } from "#console/pages/attendance/import/import-parts.tsx";
import { useQueryClient } from "@tanstack/react-query";

interface RunningImportsProps {
  readonly brief?: boolean;
}

export function RunningImports({ brief = false }: RunningImportsProps) {
  const t = useTexts();
  const tasks = useTasks();
  const running = useRunningImports();
  const others = running.filter((record) => !tasks.some((task) => isOf(record, task)));
  if (tasks.length === 0 && others.length === 0) return null;
  const isBusy = tasks.some(isActive) || others.length > 0;
  if (brief && !isBusy && tasks.every(({ stage }) => stage === "done")) return null;
  return (
    <section className="q-card q-attendance-running" aria-label={t.runningImports}>
      <header>
        <h2>{isBusy ? t.runningImports : t.lastImports}</h2>
        {!isBusy && (
          <Button type="link" size="small" onClick={clearTasks}>
            {t.clearTasks}
          </Button>
        )}
      </header>
      <TaskList tasks={tasks} running={running} />
      {others.length > 0 && (
        <ul className="q-attendance-tasks">
          {others.map((record) => (
            <TaskLine key={record.id} fileName={record.fileName} sheet={record.sheet} icon={<LoadingOutlined />}>
              <ImportProgress record={record} />
            </TaskLine>
          ))}
        </ul>
      )}
    </section>
  );
}

export type ImportRecord = RecordOf<typeof attendance.listImports>;

export function ImportProgress({ record }: { readonly record: ImportRecord }) {
  const t = useTexts();
  const { phase, bytesRead, bytesTotal, rows } = record;
  const percent = phase === "waiting" ? 0 : bytesTotal > 0 ? Math.floor((bytesRead / bytesTotal) * 100) : 0;
  return (
    <ProgressLine percent={phase === "storing" ? 100 : percent} label={t.phases[phase]}>
      {phase !== "waiting" && t.progress(formatBytes(bytesRead), formatBytes(bytesTotal), formatCount(rows))}
    </ProgressLine>
  );
}

interface TaskListProps {
  readonly tasks: readonly Task[];
  readonly running: readonly ImportRecord[];
}

export function TaskList({ tasks, running }: TaskListProps) {
  return (
    <>
      <ul className="q-attendance-tasks" aria-live="polite">
        {tasks.map((task) => (
          <TaskLine key={task.id} fileName={task.file.name} sheet={task.sheet} icon={iconOf(task)}>
            <TaskState task={task} record={running.find((record) => isOf(record, task))} />
          </TaskLine>
        ))}
      </ul>
      <MonthOutcomes tasks={tasks} />
    </>
  );
}

const isOf = ({ fileName, sheet }: ImportRecord, task: Task): boolean =>
  task.stage === "working" && fileName === task.file.name && sheet === task.sheet;

const iconOf = ({ stage }: Task): ReactNode =>
  stage === "done" ? (
    <CheckCircleFilled className="q-attendance-good" />
  ) : stage === "failed" ? (
    <CloseCircleFilled className="q-attendance-bad" />
  ) : (
    <FileExcelOutlined />
  );

interface TaskLineProps {
  readonly fileName: string;
  readonly sheet: ImportRecord["sheet"];
  readonly icon: ReactNode;
  readonly children: ReactNode;
}

function TaskLine({ fileName, sheet, icon, children }: TaskLineProps) {
  const t = useTexts();
  return (
    <li>
      {icon}
      <div>
        <div className="q-attendance-task-name">
          <strong>{t.sheets[sheet]}</strong>
          <span className="q-soft" title={fileName}>
            {fileName}
          </span>
        </div>
        {children}
      </div>
    </li>
  );
}

function TaskState({ task, record }: { readonly task: Task; readonly record: ImportRecord | undefined }) {
  const t = useTexts();
  const write = useRanges();
  const { stage, percent, answer, failure, takes } = task;
  if (failure) return <ImportFaults title={t.said(t.stages.failed, failure.message)} rows={failure.rows} />;
  if (answer) {
    const said = t.imported(joinWords(answer.months), formatCount(answer.employees), formatCount(answer.rows));
    const [first, last] = [takes[0], takes.findLast(({ sheet }) => sheet === takes[0]?.sheet)];
    const parts = [
      said,
      first && last && write([{ from: first.from, to: last.to }]),
      answer.skipped > 0 && t.skippedRows(formatCount(answer.skipped)),
    ];
    return <p>{t.listed(parts.filter((part) => typeof part === "string"))}</p>;
  }
  if (stage === "queued") return <p className="q-soft">{t.stages.queued}</p>;
  if (record) return <ImportProgress record={record} />;
  return <ProgressLine percent={percent} label={stage === "working" ? t.phases.reading : t.stages.sending} />;
}

/** The result is shown once per month after all imports, since each import makes the month's earlier report outdated. */
function MonthOutcomes({ tasks }: { readonly tasks: readonly Task[] }) {
  if (tasks.some(isActive)) return null;
  const months = new Set(tasks.flatMap(({ answer }) => answer?.months ?? []));
  return [...months].map((month) => (
    <MonthOutcome key={month} month={month} tasks={tasks.filter(({ answer }) => answer?.months.includes(month))} />
  ));
}

function MonthOutcome({ month, tasks }: { readonly month: string; readonly tasks: readonly Task[] }) {
  const t = useTexts();
  const { data } = useRead(
    attendance.findStatus,
    { query: { month } },
    { everyMs: (last) => (last?.statu === 1 ? busyMs : undefined) },
  );
  if (!data) return null;
  // The month's report covers all its sheets except the identity card list, which reports separately.
  const identities = tasks.filter(({ sheet }) => sheet === "work").map(({ answer }) => answer?.waring ?? "");
  const lines = [data.waring, ...identities].flatMap((waring) => waring.split("\n")).filter((line) => line !== "");
  return (
    <section className="q-attendance-month-outcome">
      <h3 className="q-attendance-part">{t.monthHas(month)}</h3>
      {data.covered.length > 0 && <MonthCoverage days={data.days} covered={data.covered} />}
      {lines.length > 0 && <h4 className="q-attendance-part">{t.warnings}</h4>}
      <WarningList waring={[...new Set(lines)].join("\n")} />
    </section>
  );
}

const busyMs = 700;
const idleMs = 10_000;

export function useRunningImports(): readonly ImportRecord[] {
  const hasOwn = useTasks().some(isActive);
  const queries = useQueryClient();
  const { data } = useRead(
    attendance.listImports,
    { query: { pageSize: 20 } },
    {
      enabled: useMay()(attendance.listImports),
      everyMs: (last) => (hasOwn || pickRunning(last).length > 0 ? busyMs : idleMs),
    },
  );
  const running = pickRunning(data);
  const count = useRef(0);
  useEffect(() => {
    // An import, perhaps another user's, has ended, so the months have changed.
    if (running.length < count.current) void queries.invalidateQueries({ queryKey: ["attendance", "listMonths"] });
    count.current = running.length;
  }, [running.length, queries]);
  return running;
}

const pickRunning = (page: DataOf<typeof attendance.listImports> | undefined): ImportRecord[] =>
  (page?.list ?? []).filter(({ outcome }) => outcome === null);
