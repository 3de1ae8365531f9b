import { LoadingOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useTexts } from "#shared/language/language.ts";
import { ImportProgress, isOf, TaskLine, TaskList } from "#console/pages/attendance/import/task-list.tsx";
import { clearTasks, isActive, useTasks } from "#console/pages/attendance/import/tasks.ts";
import { useRunningImports } from "#console/pages/attendance/import/use-running-imports.ts";
import { texts } from "#console/pages/attendance/texts.ts";

interface RunningImportsProps {
  /** True: what went well is of no more interest here once it is over. */
  readonly brief?: boolean;
}

/** What is being imported now: by this tab, and by whomever else. Nothing while there is nothing. */
export function RunningImports({ brief = false }: RunningImportsProps) {
  const t = useTexts(texts);
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
