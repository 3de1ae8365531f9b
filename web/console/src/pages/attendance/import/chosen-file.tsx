import { CloseOutlined, FileExcelOutlined } from "@ant-design/icons";
import { Button, Checkbox, Select } from "antd";
import { DateText } from "#console/blocks/fields.tsx";
import { formatBytes, joinWords } from "#console/blocks/format.ts";
import { ProgressLine } from "#console/blocks/progress-line.tsx";
import { texts as blockTexts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import { useRanges } from "#console/pages/attendance/coverage/month-coverage.tsx";
import { WarningList } from "#console/pages/attendance/import/import-parts.tsx";
import { texts } from "#console/pages/attendance/texts.ts";
import { type RefObject, useEffect, useRef, useState } from "react";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { attendance } from "#shared/api/attendance.ts";
import { callWith } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { DataOf } from "#shared/call/operation.ts";
import type { Order } from "#console/pages/attendance/import/tasks.ts";

interface ChosenFileProps {
  readonly chosen: ChosenFile;
  readonly monthBeside: string | undefined;
  readonly onChange: (part: Partial<ChosenFile>) => void;
  readonly onRemove: () => void;
}

export function ChosenFileCard(props: ChosenFileProps) {
  const { file } = props.chosen;
  const t = useTexts(texts);
  return (
    <li className="q-attendance-chosen">
      <FileExcelOutlined />
      <div>
        <div className="q-attendance-task-name">
          <strong title={file.name}>{file.name}</strong>
          <span className="q-soft">{formatBytes(file.size)}</span>
        </div>
        <Look {...props} />
      </div>
      <Button
        type="text"
        size="small"
        icon={<CloseOutlined />}
        aria-label={t.removeFile(file.name)}
        onClick={props.onRemove}
      />
    </li>
  );
}

function Look({ chosen, monthBeside, onChange }: ChosenFileProps) {
  const t = useTexts(texts);
  const blocks = useTexts(blockTexts);
  const { look } = chosen;
  if (look.at === "waiting") return <p className="q-soft">{t.stages.queued}</p>;
  if (look.at === "sending")
    return <ProgressLine percent={look.percent} label={look.percent < 100 ? t.stages.sending : t.reading} />;
  if (look.at === "failed" && look.failure.code === badFile) return <Unfit why={look.failure.message} />;
  if (look.at === "failed")
    return (
      <div role="alert">
        <p className="q-attendance-bad">{look.failure.message}</p>
        <Button size="small" onClick={() => onChange({ look: { at: "waiting" } })}>
          {blocks.retry}
        </Button>
      </div>
    );
  if (look.found.imports.length === 0) return <Unfit why={look.found.waring} />;
  return (
    <>
      <Contents chosen={chosen} onChange={onChange} />
      <MonthChoice chosen={chosen} monthBeside={monthBeside} onChange={onChange} />
      {look.found.waring !== "" && <p>{t.fileRest}</p>}
      <WarningList waring={look.found.waring} />
    </>
  );
}

/** The code of a file that is none: asking again would be in vain. */
const badFile = "10030";

function Unfit({ why }: { readonly why: string }) {
  const t = useTexts(texts);
  return (
    <div role="alert" className="q-attendance-bad">
      <p>{t.fileUnfit}</p>
      <WarningList waring={why} />
    </div>
  );
}

function Contents({ chosen: { look, sheets }, onChange }: Pick<ChosenFileProps, "chosen" | "onChange">) {
  const t = useTexts(texts);
  const held = look.at === "known" ? look.found.imports.map(({ sheet }) => sheet) : [];
  const [first] = held;
  if (held.length === 1 && first) return <p>{t.sheets[first]}</p>;
  return (
    <Checkbox.Group
      aria-label={t.fileHolds}
      value={[...sheets]}
      options={held.map((value) => ({ value, label: t.sheets[value] }))}
      onChange={(next) => onChange({ sheets: held.filter((sheet) => next.includes(sheet)) })}
    />
  );
}

function MonthChoice({ chosen, monthBeside, onChange }: Omit<ChosenFileProps, "onRemove">) {
  const t = useTexts(texts);
  const writeDays = useDays();
  const id = `q-attendance-month-${chosen.key}`;
  const months = listMonths(chosen);
  if (chosen.sheets.length === 0) return null;
  if (months.length === 1)
    return (
      <p>
        {t.fileMonth} <strong>{months[0]}</strong> {t.fileDays}{" "}
        <strong className="q-figures">{writeDays(chosen)}</strong> <span className="q-soft">{t.fileMonthRead}</span>
      </p>
    );
  const isWork = chosen.sheets.every((sheet) => sheet === "work");
  const shown = findMonth(chosen) ?? (isWork ? monthBeside : undefined);
  const about = months.length > 1 ? t.fileMonthNeeded : isWork ? t.fileMonthOfWork : shown ? "" : t.fileMonthUnknown;
  return (
    <div className="q-attendance-month-choice">
      <label htmlFor={id}>{t.fileMonth}</label>
      {months.length > 1 ? (
        <Select<string>
          id={id}
          size="small"
          value={shown ?? null}
          placeholder={t.choose}
          options={months.map((value) => ({ value, label: value }))}
          onChange={(value) => onChange({ month: value })}
        />
      ) : (
        <DateText id={id} kind="month" value={shown ?? ""} onChange={(value) => onChange({ month: value })} />
      )}
      <span className="q-soft">{about}</span>
    </div>
  );
}

/** The days of a file; by sheet, where its sheets are of different ones. */
function useDays(): (chosen: ChosenFile) => string {
  const t = useTexts(texts);
  const write = useRanges();
  return (chosen) => {
    const dated = listImports(chosen).flatMap(({ sheet, days }) => (days ? [{ sheet, text: write([days]) }] : []));
    const distinct = [...new Set(dated.map(({ text }) => text))];
    return distinct.length > 1
      ? joinWords(dated.map(({ sheet, text }) => `${t.sheets[sheet]} ${text}`))
      : distinct.join("");
  };
}

type Recognition = DataOf<typeof attendance.recognise>;

interface ChosenFile {
  readonly key: number;
  readonly file: File;
  readonly look:
    | { readonly at: "waiting" }
    /** At 100 it has left, and is being read. */
    | { readonly at: "sending"; readonly percent: number }
    | { readonly at: "known"; readonly found: Recognition }
    | { readonly at: "failed"; readonly failure: CallFailure };
  readonly sheets: readonly ImportSheet[];
  /** yyyy-MM, where the file does not say it. */
  readonly month: string | undefined;
}

interface ChosenFiles {
  readonly files: readonly ChosenFile[];
  readonly add: (file: File) => void;
  readonly change: (key: number, part: Partial<ChosenFile>) => void;
  readonly remove: (key: number) => void;
}

const toWaiting = (key: number, file: File): ChosenFile => ({
  key,
  file,
  look: { at: "waiting" },
  sheets: [],
  month: undefined,
});

interface Sending {
  readonly key: number;
  readonly controller: AbortController;
}

function stop(sending: RefObject<Sending | undefined>): void {
  sending.current?.controller.abort();
  sending.current = undefined;
}

/** The files of the dialog. The server is asked about one after the other: together they would only slow each other down. */
export function useChosenFiles(dropped: readonly File[], month: string | undefined): ChosenFiles {
  const lastKey = useRef(dropped.length);
  const sending = useRef<Sending>(undefined);
  const [files, setFiles] = useState(() => dropped.map((file, index) => toWaiting(index + 1, file)));
  const change = (key: number, part: Partial<ChosenFile>) =>
    setFiles((last) => last.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const look = async ({ key, file }: ChosenFile) => {
    const controller = new AbortController();
    sending.current = { key, controller };
    const onProgress = (percent: number) => change(key, { look: { at: "sending", percent } });
    try {
      const found = await callWith(attendance.recognise, { file }, { onProgress, signal: controller.signal });
      change(key, { look: { at: "known", found }, ...choose(found, file, month) });
    } catch (error) {
      if (controller.signal.aborted) return;
      if (!(error instanceof CallFailure)) throw error;
      change(key, { look: { at: "failed", failure: error } });
    } finally {
      if (sending.current?.key === key) sending.current = undefined;
    }
  };
  useEffect(() => {
    const next = files.find((each) => each.look.at === "waiting");
    if (next && !sending.current) void look(next);
  });
  useEffect(() => () => stop(sending), []);
  return {
    files,
    change,
    add: (file) => {
      const key = ++lastKey.current;
      setFiles((last) => [...last, toWaiting(key, file)]);
    },
    remove: (key) => {
      if (sending.current?.key === key) stop(sending);
      setFiles((last) => last.filter((each) => each.key !== key));
    },
  };
}

/** What is imported unless the person says otherwise. Of the months of a title none is guessed. */
function choose({ imports }: Recognition, { name }: File, month: string | undefined) {
  const isSaid = imports.some(({ months }) => months.length > 0);
  return { sheets: imports.map(({ sheet }) => sheet), month: isSaid ? undefined : (guessMonth(name) ?? month) };
}

const listImports = ({ look, sheets }: ChosenFile): Recognition["imports"] =>
  look.at === "known" ? look.found.imports.filter(({ sheet }) => sheets.includes(sheet)) : [];

const listMonths = (chosen: ChosenFile): string[] => [...new Set(listImports(chosen).flatMap(({ months }) => months))];

const inFileName = /(?:^|\D)(20\d{2})-?(0[1-9]|1[0-2])(?:-?(?:[0-2]\d|3[01]))?(?:\D|$)/;

function guessMonth(fileName: string): string | undefined {
  const [, year, month] = inFileName.exec(fileName) ?? [];
  return year === undefined || month === undefined ? undefined : `${year}-${month}`;
}

function findMonth(chosen: ChosenFile): string | undefined {
  const months = listMonths(chosen);
  if (months.length === 0) return chosen.month;
  if (months.length === 1) return months[0];
  return months.find((month) => month === chosen.month);
}

export const isSettled = (chosen: ChosenFile): boolean =>
  chosen.sheets.length > 0 && (listMonths(chosen).length === 0 || findMonth(chosen) !== undefined);

/** Identity cards say no month: they are meant for that of the sheets beside them. */
export function findMonthBeside(files: readonly ChosenFile[]): string | undefined {
  const beside = files.find((chosen) => chosen.sheets.some((sheet) => sheet !== "work") && findMonth(chosen));
  return beside && findMonth(beside);
}

export const toOrders = (files: readonly ChosenFile[]): Order[] =>
  files.flatMap((chosen) =>
    listImports(chosen).map(({ sheet, months, days }): Order => {
      const own = months.length === 1 ? months[0] : findMonth(chosen);
      return {
        file: chosen.file,
        upload: chosen.look.at === "known" ? chosen.look.found.upload : "",
        sheet,
        month: own ?? (sheet === "work" ? findMonthBeside(files) : undefined),
        days: sheet === "work" ? undefined : (days ?? undefined),
      };
    }),
  );
