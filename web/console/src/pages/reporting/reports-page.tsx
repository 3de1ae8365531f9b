import { Button } from "antd";
import { reporting } from "#console/api/reporting.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useOpened } from "#console/blocks/list-page/address.ts";
import type { Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { Status } from "#console/blocks/status.tsx";
import type { RecordOf } from "#console/call/operation.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/reporting/texts.ts";

export type Report = RecordOf<typeof reporting.listReports>;

/** Every report: searched, opened, judged, closed, deleted, exported. */
export function ReportsPage() {
  const t = useTexts(texts);
  const [, open] = useOpened();
  const filters: Field[] = [
    { kind: "text", name: "name", label: t.name },
    { kind: "text", name: "company", label: t.company },
    { kind: "period", name: "reportingTime", label: t.reportingTime },
    { kind: "text", name: "trade", label: t.trade },
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
      options: ([1, 0] as const).map((value) => ({ value, label: t.delStatuses[value] })),
    },
  ];
  const columns: Column<Report>[] = [
    { field: "entryName", title: t.entryName, width: 220, sortable: true },
    { field: "company", title: t.company, width: 180, sortable: true },
    { field: "name", title: t.name, width: 100, sortable: true },
    { field: "phone", title: t.phone, width: 140 },
    {
      field: "status",
      title: t.status,
      width: 100,
      sortable: true,
      render: ({ status }) => <Status tone={status === 1 ? "processing" : "default"}>{t.statuses[status]}</Status>,
    },
    { field: "reportingTime", title: t.reportingTime, width: 170, sortable: true },
    {
      field: "open",
      title: t.open,
      width: 80,
      always: true,
      fixed: "end",
      render: ({ id, entryName }) => (
        <Button type="link" size="small" aria-label={t.openNamed(entryName)} onClick={() => open(id)}>
          {t.open}
        </Button>
      ),
    },
  ];
  return (
    <ListPage
      title={t.reports}
      name="reporting/reports"
      operation={reporting.listReports}
      filters={filters}
      columns={columns}
      rowName={({ entryName }) => entryName}
      exporting={{ operation: reporting.downloadReports }}
      batch={() => null}
      empty={{ title: t.empty, about: t.emptyAbout }}
    />
  );
}
