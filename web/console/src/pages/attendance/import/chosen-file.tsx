import { CloseOutlined, FileExcelOutlined } from "@ant-design/icons";
import { Button, Checkbox, Select } from "antd";
import { DateText } from "#console/blocks/fields.tsx";
import { formatBytes, joinWords } from "#console/blocks/format.ts";
import { ProgressLine } from "#console/blocks/progress-line.tsx";
import { texts as blockTexts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import { useRanges } from "#console/pages/attendance/coverage/use-ranges.ts";
import {
  type ChosenFile,
  findMonth,
  listImports,
  listMonths,
} from "#console/pages/attendance/import/use-chosen-files.ts";
import { WarningList } from "#console/pages/attendance/import/warning-list.tsx";
import { texts } from "#console/pages/attendance/texts.ts";

interface ChosenFileProps {
  readonly chosen: ChosenFile;
  /** The month of the files beside it. */
  readonly monthBeside: string | undefined;
  readonly onChange: (part: Partial<ChosenFile>) => void;
  readonly onRemove: () => void;
}

/** One file with what it holds and of which month it is, as the server says; what it leaves open is the person's to say. */
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

/** What is imported of the file; to choose, where it holds several sheets. */
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
