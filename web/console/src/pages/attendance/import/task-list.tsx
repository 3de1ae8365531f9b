import { CheckCircleFilled, CloseCircleFilled, FileExcelOutlined } from "@ant-design/icons";
import type { ReactNode } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { formatBytes, formatCount } from "#console/blocks/format.ts";
import { ProgressLine } from "#console/blocks/progress-line.tsx";
import { ImportFaults } from "#console/blocks/import/import-faults.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { useRanges } from "#console/pages/attendance/coverage/use-ranges.ts";
import { MonthOutcomes } from "#console/pages/attendance/import/month-outcomes.tsx";
import { type Task } from "#console/pages/attendance/import/tasks.ts";
import { texts } from "#console/pages/attendance/texts.ts";

export type ImportRecord = RecordOf<typeof attendance.listImports>;

/** How far an import is, as the server tells it. */
export function ImportProgress({ record }: { readonly record: ImportRecord }) {
  const t = useTexts(texts);
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
  /** What the server says of running imports. */
  readonly running: readonly ImportRecord[];
}

/** The imports of this tab: upload, then the server's progress, then what came of each, and of the months. */
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

export const isOf = ({ fileName, sheet }: ImportRecord, task: Task): boolean =>
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

export function TaskLine({ fileName, sheet, icon, children }: TaskLineProps) {
  const t = useTexts(texts);
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
  const t = useTexts(texts);
  const write = useRanges();
  const { stage, percent, answer, failure, days } = task;
  if (failure) return <ImportFaults title={t.said(t.stages.failed, failure.message)} rows={failure.rows} />;
  if (answer) {
    const said = t.imported(answer.month, formatCount(answer.employees), formatCount(answer.rows));
    const parts = [said, days && write([days]), answer.skipped > 0 && t.skippedRows(formatCount(answer.skipped))];
    return <p>{t.listed(parts.filter((part) => typeof part === "string"))}</p>;
  }
  if (stage === "queued") return <p className="q-soft">{t.stages.queued}</p>;
  if (record) return <ImportProgress record={record} />;
  return <ProgressLine percent={percent} label={stage === "working" ? t.phases.reading : t.stages.sending} />;
}
