import { CloseOutlined, FileExcelOutlined } from "@ant-design/icons";
import { Button, Checkbox, Select } from "antd";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { DateText } from "#console/blocks/fields.tsx";
import { formatBytes } from "#console/blocks/format.ts";
import { useTexts } from "#console/language/language.ts";
import { useRanges } from "#console/pages/attendance/coverage/use-ranges.ts";
import type { Recognised } from "#console/pages/attendance/import/recognise.ts";
import { texts } from "#console/pages/attendance/texts.ts";

/** A file that is about to be imported, and what is known or said of it. */
export interface ChosenFile {
  readonly key: number;
  readonly file: File;
  /** Undefined while it is being read. */
  readonly recognised: Recognised | undefined;
  readonly sheets: readonly ImportSheet[];
  readonly month: string | undefined;
}

const allSheets: readonly ImportSheet[] = ["month", "original", "work"];

interface ChosenFileProps {
  readonly chosen: ChosenFile;
  /** The month of the files beside it. */
  readonly monthBeside: string | undefined;
  readonly onChange: (part: Partial<ChosenFile>) => void;
  readonly onRemove: () => void;
}

/** One file with what it holds and of which month it is: as recognised, and the person's to change. */
export function ChosenFileCard({ chosen, monthBeside, onChange, onRemove }: ChosenFileProps) {
  const t = useTexts(texts);
  const { file, recognised, sheets } = chosen;
  return (
    <li className="q-attendance-chosen">
      <FileExcelOutlined />
      <div>
        <div className="q-attendance-task-name">
          <strong title={file.name}>{file.name}</strong>
          <span className="q-soft">{formatBytes(file.size)}</span>
        </div>
        {!recognised ? (
          <p className="q-soft">{t.reading}</p>
        ) : (
          <>
            <Checkbox.Group
              aria-label={t.fileHolds}
              value={[...sheets]}
              options={allSheets.map((value) => ({ value, label: t.sheets[value] }))}
              onChange={(next) => onChange({ sheets: allSheets.filter((sheet) => next.includes(sheet)) })}
            />
            {sheets.length === 0 && <p className="q-attendance-bad">{t.fileUnknown}</p>}
            <MonthChoice chosen={chosen} monthBeside={monthBeside} onChange={onChange} />
          </>
        )}
      </div>
      <Button
        type="text"
        size="small"
        icon={<CloseOutlined />}
        aria-label={t.removeFile(file.name)}
        onClick={onRemove}
      />
    </li>
  );
}

function MonthChoice({ chosen, monthBeside, onChange }: Omit<ChosenFileProps, "onRemove">) {
  const t = useTexts(texts);
  const { recognised, month, key } = chosen;
  const id = `q-attendance-month-${key}`;
  const write = useRanges();
  if (recognised?.month !== undefined)
    return (
      <p>
        {t.fileMonth} <strong>{recognised.month}</strong>{" "}
        {recognised.days && (
          <>
            {t.fileDays} <strong className="q-figures">{write([recognised.days])}</strong>{" "}
          </>
        )}
        <span className="q-soft">{t.fileMonthRead}</span>
      </p>
    );
  const several = recognised && recognised.months.length > 1;
  const isWork = chosen.sheets.length === 1 && chosen.sheets[0] === "work";
  const shown = month ?? (isWork ? monthBeside : undefined);
  const about = several
    ? t.fileMonthNeeded
    : isWork
      ? t.fileMonthOfWork
      : month === undefined
        ? t.fileMonthUnknown
        : "";
  return (
    <div className="q-attendance-month-choice">
      <label htmlFor={id}>{t.fileMonth}</label>
      {several ? (
        <Select<string>
          id={id}
          size="small"
          value={month ?? null}
          placeholder={t.choose}
          options={recognised.months.map((value) => ({ value, label: value }))}
          onChange={(value) => onChange({ month: value })}
        />
      ) : (
        <DateText id={id} kind="month" value={shown ?? ""} onChange={(value) => onChange({ month: value })} />
      )}
      <span className="q-soft">{about}</span>
    </div>
  );
}
