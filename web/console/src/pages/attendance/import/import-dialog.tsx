import { type ReactNode, useEffect, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Checkbox, Space } from "antd";
import { useNavigate } from "react-router";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { FileDrop, ImportModal } from "#console/blocks/import/import-parts.tsx";
import { useRead } from "#console/call/use-call.ts";
import {
  ChosenFileCard,
  findMonthBeside,
  isSettled,
  toOrders,
  useChosenFiles,
} from "#console/pages/attendance/import/chosen-file.tsx";
import { TaskList, useRunningImports } from "#console/pages/attendance/import/running-imports.tsx";
import { isActive, type Order, runImports, useTasks } from "#console/pages/attendance/import/tasks.ts";
import { TemplateMenu } from "#console/pages/attendance/import/import-parts.tsx";
import { useLockTexts, useTexts } from "#console/pages/attendance/texts.ts";
import { place } from "#shared/place.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRanges } from "#console/pages/attendance/coverage/month-coverage.tsx";

interface Import {
  readonly open: () => void;
  readonly isOpen: boolean;
  readonly dialog: ReactNode;
}

export function useImport(month?: string): Import {
  const [files, setFiles] = useState<readonly File[]>();
  const isOpen = files !== undefined;
  useEffect(() => {
    // Without these listeners the browser would open a dropped file instead of the page.
    const allow = (event: DragEvent) => event.preventDefault();
    const take = (event: DragEvent) => {
      event.preventDefault();
      const dropped = [...(event.dataTransfer?.files ?? [])];
      if (!isOpen && dropped.length > 0) setFiles(dropped);
    };
    window.addEventListener("dragover", allow);
    window.addEventListener("drop", take);
    return () => {
      window.removeEventListener("dragover", allow);
      window.removeEventListener("drop", take);
    };
  }, [isOpen]);
  return {
    open: () => setFiles([]),
    isOpen,
    dialog: files && (
      <ImportDialog {...(month !== undefined && { month })} dropped={files} onClose={() => setFiles(undefined)} />
    ),
  };
}

interface ImportDialogProps {
  readonly month?: string;
  readonly dropped: readonly File[];
  readonly onClose: () => void;
}

function ImportDialog({ month, dropped, onClose }: ImportDialogProps) {
  const t = useTexts();
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
  const t = useTexts();
  const queries = useQueryClient();
  const { files, add, change, remove } = useChosenFiles(dropped, month);
  const [known, setKnown] = useState("");
  const [analyse, setAnalyse] = useState(true);
  const { data: months, error, refetch } = useRead(attendance.listMonths, {});
  const orders = toOrders(files);
  const losses = useLosses(orders, months ?? []);
  const replaced = losses.replaced.join();
  const isKnown = replaced === "" || known === replaced;
  // The user must have accepted the list of what the imports replace; a change of the list needs another acceptance.
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

function LossesSaid({ losses: { replaced, cleared, forbidden }, isKnown, onKnown }: LossesSaidProps) {
  const t = useTexts();
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
  const t = useTexts();
  const navigate = useNavigate();
  const tasks = useTasks();
  const running = useRunningImports();
  const isBusy = tasks.some(isActive);
  const months = [...new Set(tasks.flatMap(({ answer }) => answer?.months ?? []))];
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

type Month = RecordOf<typeof attendance.listMonths>;

interface Losses {
  readonly replaced: readonly string[];
  readonly cleared: readonly string[];
  readonly forbidden: readonly string[];
}

function useLosses(orders: readonly Order[], months: readonly Month[]): Losses {
  const t = useTexts();
  const { forbidsImport } = useLockTexts();
  const write = useRanges();
  const find = (wanted: string | undefined) => months.filter(({ month }) => month === wanted);
  const dated = orders.flatMap(({ takes }) => takes);
  const touched = new Set([...dated.map(({ month }) => month), ...orders.map(({ month }) => month)].flatMap(find));
  const forbidden = new Set(dated.flatMap(({ month }) => find(month)).filter(({ locked }) => locked !== null));
  const replaced = dated.flatMap(({ sheet, month, replaces }) =>
    replaces.length > 0 ? t.replacesDays(month, t.sheets[sheet], write(replaces)) : [],
  );
  const cleared = [...touched].filter(({ statu, locked }) => statu === 2 && locked === null);
  return {
    replaced: [...new Set(replaced)],
    cleared: cleared.map(({ month }) => t.clearsResults(month)),
    forbidden: [...forbidden].map(({ month }) => forbidsImport(month)),
  };
}
