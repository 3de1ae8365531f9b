import { CheckCircleFilled, ExclamationCircleFilled, MinusCircleOutlined, PlayCircleOutlined } from "@ant-design/icons";
import { Button, type ButtonProps } from "antd";
import type { ReactNode } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { formatCount } from "#console/blocks/format.ts";
import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { findSummary, lacksNoDay } from "#console/pages/attendance/coverage/month-coverage.tsx";
import { type Month, type Unmatched, useUnmatched } from "#console/pages/attendance/records.ts";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { ProgressLine } from "#console/blocks/progress-line.tsx";
import { Status, type Tone } from "#console/blocks/status.tsx";
import { useAnalyse, useRunningAnalysis } from "#console/pages/attendance/use-month.ts";

export function MonthSteps({ month, onImport }: { readonly month: Month; readonly onImport: () => void }) {
  const t = useTexts();
  const { employees, punches, identities, importTime, analyseTime, statu, locked } = month;
  // Another month sheet or punch sheet adds data; another identity card list replaces the previous one.
  const adds = { word: t.stepMore, named: t.stepMoreNamed };
  const again = { month: adds, original: adds, work: { word: t.stepReplace, named: t.stepReplaceNamed } };
  const { people } = useUnmatched(month).data ?? {};
  const sheets = [
    { sheet: "month", count: employees, said: t.people(formatCount(employees)), about: importTime?.slice(5, 16) },
    { sheet: "original", count: punches, said: t.rowsCount(formatCount(punches)), about: undefined },
    { sheet: "work", count: identities, said: t.people(formatCount(identities)), about: undefined },
  ] as const;
  return (
    <ol className="q-attendance-steps">
      {sheets.map(({ sheet, count, said, about }) => (
        <Step
          key={sheet}
          title={t.sheets[sheet === "month" ? findSummary(month.covered) : sheet]}
          icon={
            count === 0 && sheet === "month" ? (
              <ExclamationCircleFilled className="q-attendance-bad" />
            ) : count === 0 || !people ? (
              <MinusCircleOutlined />
            ) : countLacking(people, sheet) === 0 && lacksNoDay(month, sheet) ? (
              <CheckCircleFilled className="q-attendance-good" />
            ) : (
              <ExclamationCircleFilled className="q-attendance-some" />
            )
          }
          end={
            // Identity cards (sheet "work") may also be imported into a locked month.
            (!locked || sheet === "work") && (
              <RowAction
                needs={attendance.importUpload}
                label={(count > 0 ? again[sheet].named : t.stepImportNamed)(t.sheets[sheet])}
                onClick={onImport}
              >
                {count > 0 ? again[sheet].word : t.stepImport}
              </RowAction>
            )
          }
        >
          {count > 0 ? (
            <>
              <strong className="q-figures">{said}</strong>
              {about !== undefined && <span className="q-soft q-figures">{about}</span>}
              {people && countLacking(people, sheet) > 0 && (
                <span className="q-figures">{t.stepLacks(formatCount(countLacking(people, sheet)))}</span>
              )}
            </>
          ) : (
            <span className="q-soft">{t.stepMissing[sheet]}</span>
          )}
        </Step>
      ))}
      <Step title={t.stepAnalysis} icon={null} end={null}>
        <AnalysisState month={month.month} statu={statu} />
        {statu === 2 && <span className="q-soft q-figures">{analyseTime?.slice(5, 16)}</span>}
      </Step>
    </ol>
  );
}

const countLacking = (people: Unmatched["people"], sheet: ImportSheet): number =>
  people.filter(({ kind, lackedBy }) => kind === "month" && lackedBy === useTexts.zh.sheets[sheet]).length;

interface StepProps {
  readonly title: string;
  readonly icon: ReactNode;
  readonly end: ReactNode;
  readonly children: ReactNode;
}

const Step = ({ title, icon, end, children }: StepProps) => (
  <li>
    <span className="q-attendance-step-title">
      {icon}
      {title}
      <span className="q-attendance-step-end">{end}</span>
    </span>
    <span className="q-attendance-step-said">{children}</span>
  </li>
);

export function AnalyseButton({
  month: { month, statu },
  type,
}: Pick<ButtonProps, "type"> & { readonly month: Month }) {
  const t = useTexts();
  const analyse = useAnalyse();
  return (
    <IfMay operation={attendance.analyse}>
      <Button
        type={type ?? "primary"}
        icon={<PlayCircleOutlined />}
        loading={analyse.isPending}
        onClick={() => analyse.mutate({ query: { month } })}
      >
        {statu === 2 ? t.analyseAgain : t.analyse}
      </Button>
    </IfMay>
  );
}

const tones: Readonly<Record<0 | 1 | 2 | 3, Tone>> = { 0: "warning", 1: "processing", 2: "success", 3: "error" };

export function AnalysisState({ month, statu }: { readonly month: string; readonly statu: 0 | 1 | 2 | 3 }) {
  const t = useTexts();
  const status = useRunningAnalysis(month, statu);
  if (statu !== 1) return <Status tone={tones[statu]}>{t.statuses[statu]}</Status>;
  const { done = 0, total = 0 } = status ?? {};
  const label = total === 0 ? t.preparing : t.analysing(formatCount(done), formatCount(total));
  return <ProgressLine percent={total > 0 ? Math.floor((done / total) * 100) : 0} label={label} />;
}
