import { ImportOutlined, LeftOutlined } from "@ant-design/icons";
import { Button, Result, Skeleton, Tabs } from "antd";
import { Link, useParams, useSearchParams } from "react-router";
import { IfMay } from "#console/blocks/buttons.tsx";
import { attendance } from "#shared/api/attendance.ts";
import { Loaded } from "#console/blocks/failure.tsx";
import type { MonthProps } from "#console/pages/attendance/records.ts";
import { useRead } from "#console/call/use-call.ts";
import { useIsPhone } from "#shared/media.ts";
import { MonthSheet } from "#console/pages/attendance/grid/month-sheet.tsx";
import { MonthCoverage } from "#console/pages/attendance/coverage/month-coverage.tsx";
import { ImportTable } from "#console/pages/attendance/import/import-table.tsx";
import { RunningImports } from "#console/pages/attendance/import/running-imports.tsx";
import { useImport } from "#console/pages/attendance/import/import-dialog.tsx";
import { LockBanner, LockButton } from "#console/pages/attendance/lock/lock.tsx";
import { MonthProblems, useProblemCount } from "#console/pages/attendance/problems/month-problems.tsx";
import { PlacesBanner } from "#console/pages/attendance/problems/address-places.tsx";
import { AnalyseButton, MonthSteps } from "#console/pages/attendance/month-steps.tsx";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { VersionTable } from "#console/pages/attendance/versions/version-table.tsx";
import { asFile, useMay } from "#console/session/session.ts";
import { PrintButton } from "#console/printing.tsx";
import { MonthDownloads } from "#console/pages/attendance/month-downloads.tsx";
import "#console/pages/attendance/attendance.css";

export function MonthPage() {
  const { month: name = "" } = useParams();
  const t = useTexts();
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
      <Loaded read={months}>
        {() =>
          month ? (
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
          )
        }
      </Loaded>
      {dialog}
    </>
  );
}

const tabs = {
  grid: attendance.download,
  problems: attendance.listUnmatched,
  imports: attendance.listImports,
  versions: attendance.listVersions,
} as const;
type Tab = keyof typeof tabs;

function Content({ month, onImport }: MonthProps) {
  const t = useTexts();
  const [search, setSearch] = useSearchParams();
  const may = useMay();
  const offered = (Object.keys(tabs) as Tab[]).filter((each) => may(tabs[each]));
  const tab = offered.find((each) => each === search.get("tab")) ?? "grid";
  const problems = useProblemCount(month);
  const choose = (next: string) =>
    setSearch((last) => {
      const changed = new URLSearchParams(last);
      if (next === "grid") changed.delete("tab");
      else changed.set("tab", next);
      return changed;
    });
  const isPhone = useIsPhone();
  const sheets = (
    <>
      <MonthSteps month={month} onImport={onImport} />
      {month.covered.length > 0 && (
        <div className="q-card q-attendance-coverage-card">
          <MonthCoverage days={month.days} covered={month.covered} />
        </div>
      )}
    </>
  );
  return (
    <>
      <LockBanner month={month} />
      <PlacesBanner month={month} />
      {!isPhone && sheets}
      <div className="q-card q-attendance-tabs">
        <Tabs
          activeKey={tab}
          onChange={choose}
          items={offered.map((key) => ({
            key,
            label:
              key === "problems" && problems > 0
                ? t.counted(t.tabs.problems, problems > 999 ? "999+" : String(problems))
                : t.tabs[key],
            children: <TabContent tab={key} month={month} onImport={onImport} />,
          }))}
        />
      </div>
      {isPhone && sheets}
    </>
  );
}

function TabContent({ tab, month, onImport }: MonthProps & { readonly tab: Tab }) {
  if (tab === "problems") return <MonthProblems month={month} />;
  if (tab === "versions") return <VersionTable month={month} />;
  if (tab === "imports") return <ImportTable month={month.month} />;
  return month.statu === 2 ? <MonthSheet month={month} /> : <NotAnalysed month={month} onImport={onImport} />;
}

function MonthActions({ month: record, onImport }: MonthProps) {
  const { month, statu, employees, locked } = record;
  const t = useTexts();
  const may = useMay();
  return (
    <div className="q-page-head-end q-buttons">
      {statu === 2 && <PrintButton />}
      <IfMay operation={attendance.importUpload}>
        <Button icon={<ImportOutlined />} onClick={onImport}>
          {t.importButton}
        </Button>
      </IfMay>
      {employees > 0 && statu !== 1 && !locked && (
        <AnalyseButton month={record} type={statu === 2 ? "default" : "primary"} />
      )}
      {statu === 2 && !locked && <LockButton month={month} />}
      {statu === 2 && may(asFile(attendance.download)) && <MonthDownloads month={month} />}
    </div>
  );
}

function NotAnalysed({ month, onImport }: MonthProps) {
  const { statu, employees } = month;
  const t = useTexts();
  if (statu === 1) return <Skeleton active />;
  if (employees === 0)
    return (
      <Result
        status="info"
        title={t.needsMonthSheet}
        subTitle={t.needsMonthSheetAbout}
        extra={
          <IfMay operation={attendance.importUpload}>
            <Button type="primary" icon={<ImportOutlined />} onClick={onImport}>
              {t.stepImportNamed(t.sheets.month)}
            </Button>
          </IfMay>
        }
      />
    );
  return (
    <Result
      status={statu === 3 ? "error" : "info"}
      title={statu === 3 ? t.statuses[3] : t.waitingAnalysis}
      subTitle={statu === 3 ? t.failedAnalysisAbout : t.waitingAnalysisAbout}
      extra={<AnalyseButton month={month} />}
    />
  );
}
