import { LeftOutlined } from "@ant-design/icons";
import { Button, Result, Skeleton, Tabs } from "antd";
import { Link, useParams, useSearchParams } from "react-router";
import { IfMay } from "#console/blocks/if-may.tsx";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import type { MonthProps } from "#console/pages/attendance/records.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { MonthSheet } from "#console/pages/attendance/grid/month-sheet.tsx";
import { MonthCoverage } from "#console/pages/attendance/coverage/month-coverage.tsx";
import { ImportTable } from "#console/pages/attendance/import/import-table.tsx";
import { RunningImports } from "#console/pages/attendance/import/running-imports.tsx";
import { useImport } from "#console/pages/attendance/import/use-import.tsx";
import { LockBanner } from "#console/pages/attendance/lock/lock-banner.tsx";
import { MonthActions } from "#console/pages/attendance/month-actions.tsx";
import { MonthProblems, useProblemCount } from "#console/pages/attendance/problems/month-problems.tsx";
import { MonthSteps } from "#console/pages/attendance/month-steps.tsx";
import { NotAnalysed } from "#console/pages/attendance/not-analysed.tsx";
import { texts } from "#console/pages/attendance/texts.ts";
import { VersionTable } from "#console/pages/attendance/versions/version-table.tsx";
import "#console/pages/attendance/attendance.css";

/** One month: what was imported, its analysis, its people by days, and what is to be checked. */
export function MonthPage() {
  const { month: name = "" } = useParams();
  const t = useTexts(texts);
  const months = useRead(attendance.listMonths, {});
  const { open, isOpen, dialog } = useImport(name);
  const month = months.data?.find((each) => each.month === name);
  return (
    <>
      <header className="q-page-head">
        <Link to="/attendance/months" aria-label={t.backToMonths} className="q-attendance-back">
          <LeftOutlined />
        </Link>
        <h1>{t.monthTitle(name)}</h1>
        {month && <MonthActions month={month} onImport={open} />}
      </header>
      {!isOpen && <RunningImports brief />}
      {months.error ? (
        <Failure failure={months.error} onRetry={months.refetch} />
      ) : !months.data ? (
        <div className="q-card">
          <Skeleton active />
        </div>
      ) : month ? (
        <Content month={month} onImport={open} />
      ) : (
        <Result
          title={t.notFoundMonth}
          extra={
            <IfMay operation={attendance.importUpload}>
              <Button type="primary" onClick={open}>
                {t.importButton}
              </Button>
            </IfMay>
          }
        />
      )}
      {dialog}
    </>
  );
}

const tabs = ["grid", "problems", "imports", "versions"] as const;
type Tab = (typeof tabs)[number];

function Content({ month, onImport }: MonthProps) {
  const t = useTexts(texts);
  const [search, setSearch] = useSearchParams();
  const tab = tabs.find((each) => each === search.get("tab")) ?? "grid";
  const problems = useProblemCount(month);
  const choose = (next: string) =>
    setSearch((last) => {
      const changed = new URLSearchParams(last);
      if (next === "grid") changed.delete("tab");
      else changed.set("tab", next);
      return changed;
    });
  return (
    <>
      <LockBanner month={month} />
      <MonthSteps month={month} onImport={onImport} />
      {month.covered.length > 0 && (
        <div className="q-card q-attendance-coverage-card">
          <MonthCoverage month={month.month} covered={month.covered} />
        </div>
      )}
      <div className="q-card q-attendance-tabs">
        <Tabs
          activeKey={tab}
          onChange={choose}
          items={tabs.map((key) => ({
            key,
            label:
              key === "problems" && problems > 0
                ? t.counted(t.tabs.problems, problems > 999 ? "999+" : String(problems))
                : t.tabs[key],
            children: <TabContent tab={key} month={month} onImport={onImport} />,
          }))}
        />
      </div>
    </>
  );
}

function TabContent({ tab, month, onImport }: MonthProps & { readonly tab: Tab }) {
  if (tab === "problems") return <MonthProblems month={month} />;
  if (tab === "versions") return <VersionTable month={month} />;
  if (tab === "imports") return <ImportTable month={month.month} />;
  return month.statu === 2 ? <MonthSheet month={month} /> : <NotAnalysed month={month} onImport={onImport} />;
}
