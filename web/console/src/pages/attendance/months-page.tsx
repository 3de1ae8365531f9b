import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { asFile } from "#console/session/session.ts";
import { ImportOutlined } from "@ant-design/icons";
import { Button, Space } from "antd";
import { Link } from "react-router";
import { attendance } from "#shared/api/attendance.ts";
import { Loaded } from "#console/blocks/failure.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { AnalysisState } from "#console/pages/attendance/month-steps.tsx";
import { RunningImports } from "#console/pages/attendance/import/running-imports.tsx";
import { TemplateMenu } from "#console/pages/attendance/import/import-parts.tsx";
import { useImport } from "#console/pages/attendance/import/import-dialog.tsx";
import { LockTag } from "#console/pages/attendance/lock/lock.tsx";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { useAnalyse, useWorkbook } from "#console/pages/attendance/use-month.ts";
import "#console/pages/attendance/attendance.css";

type Month = RecordOf<typeof attendance.listMonths>;

export function MonthsPage() {
  const t = useTexts();
  const months = useRead(attendance.listMonths, {});
  const { open, isOpen, dialog } = useImport();
  return (
    <>
      <PageHead title={t.months} about={t.monthsAbout}>
        <Space>
          <TemplateMenu />
          <IfMay operation={attendance.importUpload}>
            <Button type="primary" icon={<ImportOutlined />} onClick={open}>
              {t.importButton}
            </Button>
          </IfMay>
        </Space>
      </PageHead>
      {!isOpen && <RunningImports />}
      <Loaded read={months}>
        {(data) => (data.length === 0 ? <FirstSteps onImport={open} /> : <MonthTable months={data} />)}
      </Loaded>
      {dialog}
    </>
  );
}

function MonthTable({ months }: { readonly months: readonly Month[] }) {
  const t = useTexts();
  const count = (value: number, say: (count: string) => string) =>
    value === 0 ? <span className="q-soft">{t.notImported}</span> : say(formatCount(value));
  const time = (value: string | null) => value?.slice(0, 16) ?? "—";
  return (
    <section className="q-card q-list" aria-label={t.months}>
      <Records<Month>
        rowKey={({ month }) => month}
        rows={months}
        pageSize={20}
        empty={null}
        columns={[
          {
            title: t.month,
            field: "month",
            width: 100,
            fixed: "start",
            render: ({ month }) => (
              <Link to={`/attendance/months/${month}`} className="q-figures">
                <strong>{month}</strong>
              </Link>
            ),
          },
          {
            title: t.status,
            field: "statu",
            width: 230,
            render: (month) => (
              <span className="q-attendance-state">
                <AnalysisState month={month.month} statu={month.statu} />
                <LockTag month={month} />
              </span>
            ),
          },
          {
            title: t.employees,
            field: "employees",
            width: 90,
            align: "right",
            render: ({ employees }) => count(employees, t.people),
          },
          {
            title: t.punches,
            field: "punches",
            width: 110,
            align: "right",
            render: ({ punches }) => count(punches, t.rowsCount),
          },
          {
            title: t.identities,
            field: "identities",
            width: 110,
            align: "right",
            render: ({ identities }) => count(identities, t.people),
          },
          {
            title: t.importTime,
            field: "importTime",
            width: 142,
            wraps: true,
            render: ({ importTime }) => time(importTime),
          },
          {
            title: t.analyseTime,
            field: "analyseTime",
            width: 142,
            wraps: true,
            render: ({ analyseTime }) => time(analyseTime),
          },
          actionColumn(t.operations, 180, (month) => <MonthActions month={month} />),
        ]}
      />
    </section>
  );
}

function MonthActions({ month: { month, statu, employees } }: { readonly month: Month }) {
  const t = useTexts();
  const analyse = useAnalyse();
  const [fetchWorkbook, isFetching] = useWorkbook();
  return (
    <Space size={12}>
      <Link to={`/attendance/months/${month}`} aria-label={t.openNamed(month)}>
        {t.open}
      </Link>
      {(statu === 0 || statu === 3) && employees > 0 && (
        <RowAction
          needs={attendance.analyse}
          label={t.analyseNamed(month)}
          onClick={() => analyse.mutate({ query: { month } })}
        >
          {t.analyse}
        </RowAction>
      )}
      {statu === 2 && !isFetching && (
        <RowAction
          needs={asFile(attendance.download)}
          label={t.downloadNamed(month)}
          onClick={() => fetchWorkbook(month)}
        >
          {t.download}
        </RowAction>
      )}
    </Space>
  );
}

function FirstSteps({ onImport }: { readonly onImport: () => void }) {
  const t = useTexts();
  const steps = [
    [t.firstSteps.export, t.firstSteps.exportAbout],
    [t.firstSteps.import, t.firstSteps.importAbout],
    [t.firstSteps.download, t.firstSteps.downloadAbout],
  ] as const;
  return (
    <section className="q-card q-attendance-first">
      <h2>{t.noMonths}</h2>
      <ol>
        {steps.map(([title, about]) => (
          <li key={title}>
            <strong>{title}</strong>
            <p className="q-soft">{about}</p>
          </li>
        ))}
      </ol>
      <IfMay operation={attendance.importUpload}>
        <Button type="primary" size="large" icon={<ImportOutlined />} onClick={onImport}>
          {t.importButton}
        </Button>
      </IfMay>
      <Space className="q-soft">
        {t.noExport}
        <TemplateMenu type="link" />
      </Space>
    </section>
  );
}
