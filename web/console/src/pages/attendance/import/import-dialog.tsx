import { useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Checkbox, Space } from "antd";
import { useState } from "react";
import { useNavigate } from "react-router";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { FileDrop } from "#console/blocks/import/file-drop.tsx";
import { ImportModal } from "#console/blocks/import/import-modal.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { ChosenFileCard } from "#console/pages/attendance/import/chosen-file.tsx";
import { type Losses, useLosses } from "#console/pages/attendance/import/losses.ts";
import { TaskList } from "#console/pages/attendance/import/task-list.tsx";
import { isActive, runImports, useTasks } from "#console/pages/attendance/import/tasks.ts";
import { TemplateMenu } from "#console/pages/attendance/import/template-menu.tsx";
import {
  findMonthBeside,
  isSettled,
  toOrders,
  useChosenFiles,
} from "#console/pages/attendance/import/use-chosen-files.ts";
import { useRunningImports } from "#console/pages/attendance/import/use-running-imports.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import { place } from "#shared/place.ts";

interface ImportDialogProps {
  /** The month whose page it is opened from: that of a file that does not say its own. */
  readonly month?: string;
  /** Files that were dropped on the page. */
  readonly dropped: readonly File[];
  readonly onClose: () => void;
}

/** The way in: drop the files, see what they are and what they replace, watch them go in. */
export function ImportDialog({ month, dropped, onClose }: ImportDialogProps) {
  const t = useTexts(texts);
  const tasks = useTasks();
  const [isWatching, setWatching] = useState(tasks.some(isActive));
  return (
    <ImportModal title={t.importTitle} onClose={onClose}>
      {isWatching ? (
        <Watching onMore={() => setWatching(false)} onClose={onClose} />
      ) : (
        <Choosing month={month} dropped={dropped} onStarted={() => setWatching(true)} />
      )}
    </ImportModal>
  );
}

interface ChoosingProps {
  readonly month: string | undefined;
  readonly dropped: readonly File[];
  readonly onStarted: () => void;
}

function Choosing({ month, dropped, onStarted }: ChoosingProps) {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const { files, add, change, remove } = useChosenFiles(dropped, month);
  const [known, setKnown] = useState("");
  const [analyse, setAnalyse] = useState(true);
  const { data: months, error, refetch } = useRead(attendance.listMonths, {});
  const orders = toOrders(files);
  const losses = useLosses(orders, months ?? []);
  // Of these losses the person knows; of others not yet.
  const replaced = losses.replaced.join();
  const isKnown = replaced === "" || known === replaced;
  // What they replace is known with the months: nobody goes on before it is said.
  const isReady =
    months !== undefined && files.length > 0 && losses.forbidden.length === 0 && files.every(isSettled) && isKnown;
  const start = () => {
    const onChange = () => void queries.invalidateQueries({ queryKey: ["attendance"] });
    void runImports({ orders, analyse, onChange });
    onStarted();
  };
  return (
    <>
      <p className="q-soft">{t.importAbout}</p>
      <FileDrop several accept=".xlsx,.csv,.txt" maxMb={place.maxWorkbookMb} onFile={add} />
      {files.length > 0 && (
        <ul className="q-attendance-tasks">
          {files.map((chosen) => (
            <ChosenFileCard
              key={chosen.key}
              chosen={chosen}
              monthBeside={findMonthBeside(files)}
              onChange={(part) => change(chosen.key, part)}
              onRemove={() => remove(chosen.key)}
            />
          ))}
        </ul>
      )}
      {error && !months && <Failure failure={error} onRetry={refetch} />}
      <LossesSaid losses={losses} isKnown={isKnown} onKnown={(knows) => setKnown(knows ? replaced : "")} />
      <div className="q-wizard-foot">
        <span className="q-attendance-foot-start">
          <TemplateMenu type="link" />
        </span>
        <Checkbox checked={analyse} onChange={({ target }) => setAnalyse(target.checked)}>
          {t.analyseAfter}
        </Checkbox>
        <Button type="primary" disabled={!isReady} onClick={start}>
          {replaced === "" ? t.startImport : t.startReplace}
        </Button>
      </div>
    </>
  );
}

interface LossesSaidProps {
  readonly losses: Losses;
  readonly isKnown: boolean;
  readonly onKnown: (knows: boolean) => void;
}

/** What the import would do to what is there, and that one knows it. */
function LossesSaid({ losses: { replaced, cleared, forbidden }, isKnown, onKnown }: LossesSaidProps) {
  const t = useTexts(texts);
  return (
    <>
      {forbidden.map((line) => (
        <Alert key={line} type="error" showIcon className="q-attendance-losses" title={line} />
      ))}
      {cleared.length > 0 && replaced.length === 0 && (
        <Alert
          type="info"
          showIcon
          className="q-attendance-losses"
          title={t.adds}
          description={<Lines lines={cleared} />}
        />
      )}
      {replaced.length > 0 && (
        <Alert
          type="warning"
          showIcon
          className="q-attendance-losses"
          title={t.replaces}
          description={
            <>
              <Lines lines={[...replaced, ...cleared]} />
              <Checkbox checked={isKnown} onChange={({ target }) => onKnown(target.checked)}>
                {t.replaceKnown}
              </Checkbox>
            </>
          }
        />
      )}
    </>
  );
}

const Lines = ({ lines }: { readonly lines: readonly string[] }) => (
  <ul>
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
);

function Watching({ onMore, onClose }: { readonly onMore: () => void; readonly onClose: () => void }) {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const tasks = useTasks();
  const running = useRunningImports();
  const isBusy = tasks.some(isActive);
  const months = [...new Set(tasks.flatMap(({ answer }) => answer?.month ?? []))];
  const [first] = months;
  return (
    <>
      <TaskList tasks={tasks} running={running} />
      <div className="q-wizard-foot">
        {isBusy && <span className="q-soft q-attendance-foot-start">{t.leaveable}</span>}
        <Space>
          {!isBusy && <Button onClick={onMore}>{t.importMore}</Button>}
          {isBusy || first === undefined ? (
            <Button onClick={onClose}>{t.closeWindow}</Button>
          ) : (
            <Button
              type="primary"
              onClick={() => {
                onClose();
                void navigate(`/attendance/months/${first}`);
              }}
            >
              {t.toMonth(first)}
            </Button>
          )}
        </Space>
      </div>
    </>
  );
}
