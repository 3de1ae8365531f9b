import { useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Checkbox, Modal, Space } from "antd";
import { useEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { attendance } from "#console/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { FileDrop } from "#console/blocks/file-drop.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { type ChosenFile, ChosenFileCard } from "#console/pages/attendance/import/chosen-file.tsx";
import { useLosses } from "#console/pages/attendance/import/losses.ts";
import { recognise } from "#console/pages/attendance/import/recognise.ts";
import { TaskList } from "#console/pages/attendance/import/task-list.tsx";
import { isActive, type Order, runImports, useTasks } from "#console/pages/attendance/import/tasks.ts";
import { TemplateMenu } from "#console/pages/attendance/import/template-menu.tsx";
import { useRunningImports } from "#console/pages/attendance/import/use-running-imports.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import { place } from "#console/place.ts";

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
    <Modal open title={t.importTitle} width={680} mask={{ closable: false }} onCancel={onClose} footer={null}>
      {isWatching ? (
        <Watching onMore={() => setWatching(false)} onClose={onClose} />
      ) : (
        <Choosing month={month} dropped={dropped} onStarted={() => setWatching(true)} />
      )}
    </Modal>
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
  const lastKey = useRef(dropped.length);
  const [files, setFiles] = useState<readonly ChosenFile[]>(() =>
    dropped.map((file, index) => toUnread(index + 1, file)),
  );
  const [knows, setKnows] = useState(false);
  const [analyse, setAnalyse] = useState(true);
  const { data: months, error, refetch } = useRead(attendance.listMonths, {});
  const change = (key: number, part: Partial<ChosenFile>) => {
    setKnows(false);
    setFiles((last) => last.map((each) => (each.key === key ? { ...each, ...part } : each)));
  };
  const read = async (key: number, file: File) => {
    const recognised = await recognise(file);
    const said = recognised.month ?? (recognised.months.length > 1 ? undefined : (recognised.months[0] ?? month));
    change(key, { recognised, sheets: recognised.sheets, month: said });
  };
  const add = (file: File) => {
    const key = ++lastKey.current;
    setFiles((last) => [...last, toUnread(key, file)]);
    void read(key, file);
  };
  // Once, for those that were there from the first.
  // oxlint-disable react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  useEffect(() => {
    for (const { key, file } of files) void read(key, file);
  }, []);
  // oxlint-enable react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  const orders = toOrders(files);
  const { replaced, cleared, forbidden } = useLosses(orders, months ?? []);
  // What they replace is known with the months: nobody goes on before it is said.
  const isReady =
    months !== undefined &&
    files.length > 0 &&
    forbidden.length === 0 &&
    files.every(({ recognised, sheets }) => recognised !== undefined && sheets.length > 0) &&
    files.every((each) => (each.recognised?.months.length ?? 0) < 2 || each.month !== undefined);
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
              onRemove={() => setFiles(files.filter(({ key }) => key !== chosen.key))}
            />
          ))}
        </ul>
      )}
      {error && !months && <Failure failure={error} onRetry={refetch} />}
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
              <Checkbox checked={knows} onChange={({ target }) => setKnows(target.checked)}>
                {t.replaceKnown}
              </Checkbox>
            </>
          }
        />
      )}
      <div className="q-wizard-foot">
        <span className="q-attendance-foot-start">
          <TemplateMenu type="link" />
        </span>
        <Checkbox checked={analyse} onChange={({ target }) => setAnalyse(target.checked)}>
          {t.analyseAfter}
        </Checkbox>
        <Button type="primary" disabled={!isReady || (replaced.length > 0 && !knows)} onClick={start}>
          {replaced.length > 0 ? t.startReplace : t.startImport}
        </Button>
      </div>
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

const toUnread = (key: number, file: File): ChosenFile => ({
  key,
  file,
  recognised: undefined,
  sheets: [],
  month: undefined,
});

/** Identity cards say no month: they are meant for that of the sheets beside them. */
const findMonthBeside = (files: readonly ChosenFile[]): string | undefined =>
  files.find(({ sheets, month }) => sheets.some((sheet) => sheet !== "work") && month)?.month;

const toOrders = (files: readonly ChosenFile[]): Order[] =>
  files.flatMap(({ file, sheets, month, recognised }) =>
    sheets.map((sheet): Order => ({
      file,
      sheet,
      month: month ?? (sheet === "work" ? findMonthBeside(files) : undefined),
      days: sheet === "work" ? undefined : recognised?.days,
    })),
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
