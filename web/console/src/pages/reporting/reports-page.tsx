import { ButtonLink, IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { App, Button, Tabs } from "antd";
import { useState } from "react";
import { reporting } from "#shared/api/reporting.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useListState, useOpened } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { Status } from "#console/blocks/status.tsx";
import { call, download } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import {
  mayChange,
  mayClose,
  mayReturn,
  type Report,
  toExportQuery,
  useReportActions,
  verdictOperations,
  verdictTones,
} from "#console/pages/reporting/report.ts";
import { ReportDrawer } from "#console/pages/reporting/report-drawer.tsx";
import { useTexts } from "#console/pages/reporting/texts.ts";
import { formatCount } from "#console/blocks/format.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useBatch } from "#console/blocks/use-batch.ts";

interface Judging {
  readonly reports: readonly Report[];
  readonly onDone?: (failed: readonly Report[]) => void;
}

export function ReportsPage() {
  const t = useTexts();
  const [opened, open] = useOpened();
  const [judging, setJudging] = useState<Judging>();
  const filters = useFilters();
  const columns = useColumns({ open, judge: (report) => setJudging({ reports: [report] }) });
  return (
    <>
      <ListPage
        title={t.reports}
        name="reporting/reports"
        operation={reporting.reviewReports}
        filters={filters}
        columns={columns}
        rowName={({ entryName }) => entryName}
        exporting={{ operation: reporting.downloadReports, toQuery: toExportQuery }}
        batch={(reports, unselect) => (
          <BatchActions
            reports={reports}
            unselect={unselect}
            onJudge={() => setJudging({ reports: reports.filter(mayChange), onDone: unselect })}
          />
        )}
        actions={<QueueLink />}
        empty={{ title: t.empty, about: t.emptyAbout }}
      >
        <VerdictTabs />
      </ListPage>
      {opened !== undefined && (
        <ReportDrawer
          id={Number(opened)}
          onJudge={(report) => setJudging({ reports: [report] })}
          onClose={() => open(undefined)}
        />
      )}
      {judging && <JudgeDrawer {...judging} onClose={() => setJudging(undefined)} />}
    </>
  );
}

function useFilters(): Field[] {
  const t = useTexts();
  return [
    { kind: "text", name: "keyword", label: t.keyword, placeholder: t.keywordHelp, max: 255 },
    { kind: "text", name: "company", label: t.company },
    { kind: "period", name: "reportingTime", label: t.reportingTime },
    { kind: "text", name: "name", label: t.name },
    { kind: "text", name: "trade", label: t.trade, placeholder: t.tradeExact },
    {
      kind: "select",
      name: "status",
      label: t.status,
      options: ([1, 0] as const).map((value) => ({ value, label: t.statuses[value] })),
    },
    {
      kind: "select",
      name: "delStatus",
      label: t.delStatus,
      placeholder: t.delStatuses[1],
      options: ([1, 0] as const).map((value) => ({ value, label: t.delStatuses[value] })),
    },
  ];
}

interface RowActions {
  readonly open: (id: number) => void;
  readonly judge: (report: Report) => void;
}

function useColumns({ open, judge }: RowActions): Column<Report>[] {
  const t = useTexts();
  return [
    { field: "id", title: t.id, width: 90, sortable: true, hidden: true, align: "right" },
    { field: "entryName", title: t.entryName, width: 175, sortable: true },
    { field: "company", title: t.company, width: 135, sortable: true },
    { field: "customerName", title: t.customerName, width: 120, sortable: true },
    { field: "name", title: t.name, width: 95, sortable: true },
    { field: "phone", title: t.phone, width: 140, sortable: true, hidden: true },
    { field: "wxPhone", title: t.wxPhone, width: 140, sortable: true, hidden: true },
    { field: "trade", title: t.trade, width: 80, sortable: true },
    { field: "projectAmount", title: t.projectAmount, width: 110, hidden: true },
    { field: "tenderTime", title: t.tenderTime, width: 170, sortable: true, hidden: true },
    {
      field: "status",
      title: t.status,
      width: 114,
      sortable: true,
      render: ({ status, delStatus }) =>
        delStatus === 0 ? (
          <Status tone="default">{t.delStatuses[0]}</Status>
        ) : (
          <Status tone={status === 1 ? "processing" : "default"}>{t.statuses[status]}</Status>
        ),
    },
    {
      field: "valid",
      title: t.valid,
      width: 112,
      sortable: true,
      render: ({ valid }) => <Status tone={verdictTones[valid]}>{t.verdicts[valid]}</Status>,
    },
    { field: "ps", title: t.ps, width: 160, hidden: true },
    { field: "reportingTime", title: t.reportingTime, width: 165, sortable: true },
    { field: "updateTime", title: t.updateTime, width: 170, sortable: true, hidden: true },
    actionColumn(t.actions, 120, (report) => (
      <>
        <RowAction needs="nothing" label={t.openNamed(report.entryName)} onClick={() => open(report.id)}>
          {t.open}
        </RowAction>
        {mayChange(report) && (
          <RowAction needs={reporting.markValid} label={t.judgeNamed(report.entryName)} onClick={() => judge(report)}>
            {t.judge}
          </RowAction>
        )}
      </>
    )),
  ];
}

interface BatchProps {
  readonly reports: readonly Report[];
  readonly unselect: (kept?: readonly Report[]) => void;
  readonly onJudge: () => void;
}

function BatchActions({ reports, unselect, onJudge }: BatchProps) {
  const t = useTexts();
  const { message } = App.useApp();
  const { close, remove } = useReportActions();
  const exportSelected = () =>
    download(reporting.downloadReports, { query: { ids: reports.map(({ id }) => id) } }).then(
      () => void message.success(t.exported),
      (failure: CallFailure) => void message.error(failure.message),
    );
  return (
    <>
      <IfMay operation={reporting.markValid}>
        <Button size="small" disabled={!reports.some(mayChange)} onClick={onJudge}>
          {t.judge}
        </Button>
      </IfMay>
      <IfMay operation={reporting.closeReport}>
        <Button size="small" disabled={!reports.some(mayClose)} onClick={() => close(reports, unselect)}>
          {t.close}
        </Button>
      </IfMay>
      <IfMay operation={reporting.downloadReports}>
        <Button size="small" onClick={() => void exportSelected()}>
          {t.exportSelected}
        </Button>
      </IfMay>
      <IfMay operation={reporting.deleteReports}>
        <Button size="small" danger disabled={!reports.some(mayChange)} onClick={() => remove(reports, unselect)}>
          {t.remove}
        </Button>
      </IfMay>
    </>
  );
}

const verdicts = ["0", "3", "1", "2", ""] as const;
type Tab = (typeof verdicts)[number];

function VerdictTabs() {
  const t = useTexts();
  const [{ filters }, change] = useListState();
  const counts: Readonly<Record<Tab, string>> = {
    "0": useCount("0"),
    "1": useCount("1"),
    "2": useCount("2"),
    "3": useCount("3"),
    "": useCount(""),
  };
  const present = verdicts.find((tab) => tab === filters["valid"]) ?? "";
  return (
    <Tabs
      className="q-list-tabs"
      activeKey={present}
      onChange={(valid) => change({ filters: { ...filters, valid }, page: 1 })}
      items={verdicts.map((key) => ({
        key,
        label: (
          <>
            {t.verdictTabs[key]} <span className="q-soft q-figures">{counts[key]}</span>
          </>
        ),
      }))}
    />
  );
}

function QueueLink() {
  const t = useTexts();
  const [{ filters }] = useListState();
  const { valid: _verdict, delStatus: _deleted, ...searched } = filters;
  return (
    <IfMay operation={reporting.markValid}>
      <ButtonLink to={`/reporting/queue?${new URLSearchParams(searched)}`}>{t.queueOpen}</ButtonLink>
    </IfMay>
  );
}

function useCount(valid: Tab): string {
  const [{ filters }] = useListState();
  const query = { ...filters, valid, currPage: 1, pageSize: 1 };
  const { data } = useRead(reporting.reviewReports, { query } as never, { keep: true });
  return data ? formatCount(data.totalCount) : "";
}

interface Verdict {
  readonly valid: 1 | 2 | 3;
  readonly ps?: string;
}

interface JudgeDrawerProps {
  readonly reports: readonly Report[];
  readonly onClose: () => void;
  readonly onDone?: (failed: readonly Report[]) => void;
}

function JudgeDrawer({ reports, onClose, onDone }: JudgeDrawerProps) {
  const t = useTexts();
  const options = { done: t.judged, quiet: true };
  const mark = {
    1: useChange(reporting.markValid, options),
    2: useChange(reporting.markInvalid, options),
    3: useChange(reporting.markReturned, options),
  } as const;
  const batch = useBatch("reporting");
  const [only] = reports;
  const check = (ps: unknown, { valid }: Readonly<Record<string, unknown>>) =>
    valid === 3 && !(typeof ps === "string" && ps.trim()) ? t.psNeeded : undefined;
  const offered = reports.every(mayReturn) ? ([1, 2, 3] as const) : ([1, 2] as const);
  const fields: Field[] = [
    {
      kind: "choices",
      name: "valid",
      label: t.valid,
      required: true,
      options: offered.map((value) => ({ value, label: value === 3 ? t.returned : t.verdicts[value] })),
    },
    { kind: "multiline", name: "ps", label: t.ps, max: 200, help: t.psHelp, dependsOn: ["valid"], check },
  ];
  const save = async ({ valid, ps }: Verdict) => {
    const toBody = (itemId: number) =>
      ({ body: { itemId, ...(ps && { ps }) } }) as { body: { itemId: number; ps: string } };
    const judge = ({ id }: Report) => call(verdictOperations[valid] as typeof reporting.markReturned, toBody(id));
    if (reports.length > 1 || !only) return onDone?.(await batch(reports, judge));
    await mark[valid].mutateAsync(toBody(only.id));
    onDone?.([]);
  };
  const single = reports.length === 1 && only ? only : undefined;
  return (
    <FormDrawer<Verdict>
      title={single ? t.judgeNamed(single.entryName) : t.judgeTitle(reports.length)}
      needs={reporting.markValid}
      fields={fields}
      initial={
        single && single.valid !== 0 && single.valid !== 3
          ? { valid: single.valid, ...(single.ps && { ps: single.ps }) }
          : {}
      }
      onSave={save}
      onClose={onClose}
      saveText={t.judge}
    >
      <p className="q-soft">{t.judgeAbout}</p>
    </FormDrawer>
  );
}
