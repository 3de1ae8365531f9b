import { CloseOutlined, FileExcelOutlined } from "@ant-design/icons";
import { Button, Checkbox, Select } from "antd";
import { DateText } from "#console/blocks/fields.tsx";
import { formatBytes, joinWords } from "#console/blocks/format.ts";
import { ProgressLine } from "#console/blocks/progress-line.tsx";
import { useTexts as useBlockTexts } from "#console/blocks/texts.ts";
import { useRanges } from "#console/pages/attendance/coverage/month-coverage.tsx";
import { WarningList } from "#console/pages/attendance/import/import-parts.tsx";
import { joinRanges } from "#console/pages/attendance/days.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
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
  const t = useTexts();
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
  const t = useTexts();
  const blocks = useBlockTexts();
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

/** The code of a refused file. A retry would be refused too. */
const badFile = "10030";

function Unfit({ why }: { readonly why: string }) {
  const t = useTexts();
  return (
    <div role="alert" className="q-attendance-bad">
      <p>{t.fileUnfit}</p>
      <WarningList waring={why} />
    </div>
  );
}

function Contents({ chosen: { look, sheets }, onChange }: Pick<ChosenFileProps, "chosen" | "onChange">) {
  const t = useTexts();
  const imports = look.at === "known" ? look.found.imports : [];
  const held = imports.map(({ sheet }) => sheet);
  const [first] = held;
  const isDaily = imports.some(({ takes }) => takes[0]?.sheet === "daily");
  const nameOf = (sheet: ImportSheet): string => t.sheets[sheet === "month" && isDaily ? "daily" : sheet];
  if (held.length === 1 && first) return <p>{nameOf(first)}</p>;
  return (
    <Checkbox.Group
      aria-label={t.fileHolds}
      value={[...sheets]}
      options={held.map((value) => ({ value, label: nameOf(value) }))}
      onChange={(next) => onChange({ sheets: held.filter((sheet) => next.includes(sheet)) })}
    />
  );
}

function MonthChoice({ chosen, monthBeside, onChange }: Omit<ChosenFileProps, "onRemove">) {
  const t = useTexts();
  if (chosen.sheets.length === 0) return null;
  const isTitled = listImports(chosen).some(({ days }) => days !== null);
  const isWork = chosen.sheets.every((sheet) => sheet === "work");
  const ask = (part: Partial<ChosenFile>) => onChange({ ...part, look: { at: "waiting" } });
  return (
    <>
      <TakenDays chosen={chosen} />
      {chosen.offered.length > 1 && isTitled && (
        <MonthField chosen={chosen} about={t.fileMonths}>
          {(id) => (
            <Select<string>
              id={id}
              size="small"
              value={chosen.month ?? ""}
              options={[
                { value: "", label: t.fileAllMonths },
                ...chosen.offered.map((value) => ({ value, label: value })),
              ]}
              onChange={(value) => ask({ month: value === "" ? undefined : value })}
            />
          )}
        </MonthField>
      )}
      {!isTitled && (
        <MonthField chosen={chosen} about={isWork ? t.fileMonthOfWork : isSettled(chosen) ? "" : t.fileMonthUnknown}>
          {(id) => (
            <DateText
              id={id}
              kind="month"
              value={findMonth(chosen) ?? (isWork ? monthBeside : undefined) ?? ""}
              onChange={(value) => (isWork ? onChange({ month: value }) : ask({ month: value || undefined }))}
            />
          )}
        </MonthField>
      )}
      {!isTitled && !isWork && (
        <Checkbox checked={chosen.whole} onChange={({ target }) => ask({ whole: target.checked })}>
          {t.fileWhole}
        </Checkbox>
      )}
    </>
  );
}

interface MonthFieldProps {
  readonly chosen: ChosenFile;
  readonly about: string;
  readonly children: (id: string) => ReactNode;
}

function MonthField({ chosen, about, children }: MonthFieldProps) {
  const t = useTexts();
  const id = `q-attendance-month-${chosen.key}`;
  return (
    <div className="q-attendance-month-choice">
      <label htmlFor={id}>{t.fileMonth}</label>
      {children(id)}
      <span className="q-soft">{about}</span>
    </div>
  );
}

function TakenDays({ chosen }: { readonly chosen: ChosenFile }) {
  const t = useTexts();
  const write = useRanges();
  const taken = listImports(chosen).flatMap(({ takes }) => takes);
  if (taken.length === 0) return null;
  const bySheet = [...Map.groupBy(taken, ({ sheet }) => sheet)].map(([sheet, runs]) => ({
    sheet,
    text: write(joinRanges(runs)),
  }));
  const distinct = [...new Set(bySheet.map(({ text }) => text))];
  const days = distinct.length > 1 ? bySheet.map(({ sheet, text }) => `${t.sheets[sheet]} ${text}`) : distinct;
  return (
    <p>
      {t.fileMonth} <strong>{joinWords([...new Set(taken.map(({ month }) => month))])}</strong> {t.fileDays}{" "}
      <strong className="q-figures">{joinWords(days)}</strong> <span className="q-soft">{t.fileMonthRead}</span>
    </p>
  );
}

type Recognition = DataOf<typeof attendance.recognise>;

interface ChosenFile {
  readonly key: number;
  readonly file: File;
  readonly look:
    | { readonly at: "waiting" }
    /** At 100 the upload is complete and the server parses the file. */
    | { readonly at: "sending"; readonly percent: number }
    | { readonly at: "known"; readonly found: Recognition }
    | { readonly at: "failed"; readonly failure: CallFailure };
  readonly sheets: readonly ImportSheet[];
  /** yyyy-MM; set if the file names no month, or if one of several months was chosen. */
  readonly month: string | undefined;
  /** True if a sheet without a title counts as covering the whole month. */
  readonly whole: boolean;
  readonly offered: readonly string[];
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
  whole: false,
  offered: [],
});

interface Sending {
  readonly key: number;
  readonly controller: AbortController;
}

function stop(sending: RefObject<Sending | undefined>): void {
  sending.current?.controller.abort();
  sending.current = undefined;
}

/** Files are recognised one at a time, since parallel uploads would slow each other down. */
export function useChosenFiles(dropped: readonly File[], month: string | undefined): ChosenFiles {
  const lastKey = useRef(dropped.length);
  const sending = useRef<Sending>(undefined);
  const [files, setFiles] = useState(() => dropped.map((file, index) => toWaiting(index + 1, file)));
  const change = (key: number, part: Partial<ChosenFile>) =>
    setFiles((last) => last.map((each) => (each.key === key ? { ...each, ...part } : each)));
  const look = async ({ key, file, sheets, month: sent, whole, offered }: ChosenFile) => {
    const controller = new AbortController();
    sending.current = { key, controller };
    const onProgress = (percent: number) => change(key, { look: { at: "sending", percent } });
    try {
      const fields = { ...(sent !== undefined && { month: sent }), ...(whole && { whole }) };
      const found = await callWith(attendance.recognise, { file, fields }, { onProgress, signal: controller.signal });
      const guess = sent === undefined && found.imports.some(needsMonth) ? guessMonth(found, file, month) : undefined;
      // The server is asked again with the likely month, since it needs the month to tell which days the file covers.
      if (guess !== undefined) return change(key, { look: { at: "waiting" }, month: guess });
      change(key, {
        look: { at: "known", found },
        sheets: sheets.length > 0 ? sheets : found.imports.map(({ sheet }) => sheet),
        offered: offered.length > 0 ? offered : listMonths(found.imports),
      });
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

const listImports = ({ look, sheets }: ChosenFile): Recognition["imports"] =>
  look.at === "known" ? look.found.imports.filter(({ sheet }) => sheets.includes(sheet)) : [];

const listMonths = (imports: Recognition["imports"]): string[] => [...new Set(imports.flatMap(({ months }) => months))];

const needsMonth = ({ sheet, days, takes }: Recognition["imports"][number]): boolean =>
  sheet !== "work" && days === null && takes.length === 0;

const inFileName = /(?:^|\D)(20\d{2})-?(0[1-9]|1[0-2])(?:-?(?:[0-2]\d|3[01]))?(?:\D|$)/;

/** Returns the rows' month, else the file name's, else the page's; undefined if the rows name several months. */
function guessMonth({ imports }: Recognition, { name }: File, page: string | undefined): string | undefined {
  const [first, another] = listMonths(imports);
  if (first !== undefined) return another === undefined ? first : undefined;
  const [, year, month] = inFileName.exec(name) ?? [];
  return year === undefined || month === undefined ? page : `${year}-${month}`;
}

const findMonth = (chosen: ChosenFile): string | undefined => chosen.month ?? listMonths(listImports(chosen)).at(-1);

export const isSettled = (chosen: ChosenFile): boolean => {
  const imports = listImports(chosen);
  return imports.length > 0 && !imports.some(needsMonth);
};

export function findMonthBeside(files: readonly ChosenFile[]): string | undefined {
  const beside = files.find((chosen) => chosen.sheets.some((sheet) => sheet !== "work") && findMonth(chosen));
  return beside && findMonth(beside);
}

export const toOrders = (files: readonly ChosenFile[]): Order[] =>
  files.flatMap((chosen) =>
    listImports(chosen).map(({ sheet, takes }): Order => ({
      file: chosen.file,
      upload: chosen.look.at === "known" ? chosen.look.found.upload : "",
      sheet,
      month: sheet === "work" ? (findMonth(chosen) ?? findMonthBeside(files)) : chosen.month,
      whole: chosen.whole,
      takes,
    })),
  );
