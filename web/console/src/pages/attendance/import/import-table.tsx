import { Alert, Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { call } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import { ImportProgress, type ImportRecord } from "#console/pages/attendance/import/running-imports.tsx";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { type Detail, DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { formatBytes, formatCount, joinWords } from "#console/blocks/format.ts";
import { ImportFaults } from "#console/blocks/import/import-parts.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useRanges } from "#console/pages/attendance/coverage/month-coverage.tsx";
import { WarningList } from "#console/pages/attendance/import/import-parts.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { Status, type Tone } from "#console/blocks/status.tsx";

const newest = 200;

export const useMonthImports = (month: string) =>
  useQuery<ImportRecord[], CallFailure>({
    queryKey: ["attendance", "listImports", "month", month],
    queryFn: async () => (await call(attendance.listImports, { query: { month, pageSize: newest } })).list,
  });

export function ImportTable({ month }: { readonly month: string }) {
  const t = useTexts();
  const [opened, open] = useOpened();
  const columns = useImportColumns((record) => open(record.id));
  const { data, error, refetch } = useMonthImports(month);
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active />;
  return (
    <>
      <Records<ImportRecord>
        density="small"
        rowKey={({ id }) => id}
        rows={data}
        empty={t.noImports}
        pageSize={20}
        columns={columns
          .filter(({ field, hidden }) => field !== "month" && hidden !== true)
          .map((column) => ({ ...column, sortable: false }))}
      />
      {opened !== undefined && /^\d+$/.test(opened) && (
        <ImportDrawer id={Number(opened)} onClose={() => open(undefined)} />
      )}
    </>
  );
}

const busyMs = 1000;

export function ImportDrawer({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const t = useTexts();
  const write = useRanges();
  const { data, error, refetch } = useRead(
    attendance.findImport,
    { params: { id } },
    { everyMs: (last) => (last?.outcome === null ? busyMs : undefined) },
  );
  const details: Detail[] | undefined = data && [
    { label: t.fileName, value: data.fileName, wide: true },
    { label: t.sheet, value: t.sheets[data.sheet] },
    { label: t.month, value: data.month },
    { label: t.phase, value: <ImportOutcome record={data} /> },
    { label: t.rows, value: t.counted(formatCount(data.rows), formatBytes(data.bytesTotal)) },
    {
      label: t.importedDays,
      value: joinWords(data.covered.map(({ sheet, ...days }) => `${t.sheets[sheet]} ${write([days])}`)),
      wide: true,
    },
    { label: t.startTime, value: data.startTime },
    { label: t.endTime, value: data.endTime },
  ];
  return (
    <DetailDrawer title={t.imports} details={error ? [] : details} onClose={onClose} width={720}>
      {error && <Failure failure={error} onRetry={refetch} />}
      {data && (
        <div className="q-attendance-outcome">
          <Outcome record={data} />
        </div>
      )}
    </DetailDrawer>
  );
}

function Outcome({ record: { outcome, waring, errors } }: { readonly record: ImportRecord }) {
  const t = useTexts();
  if (outcome === "interrupted")
    return <Alert type="warning" showIcon title={t.outcomes.interrupted} description={t.interruptedAbout} />;
  if (outcome === "failed")
    return <ImportFaults title={waring || t.outcomes.failed} about={t.failedAbout} rows={errors} />;
  return (
    waring !== "" && (
      <>
        <h3 className="q-attendance-part">{t.warnings}</h3>
        <WarningList waring={waring} />
      </>
    )
  );
}

const tones: Readonly<Record<NonNullable<ImportRecord["outcome"]>, Tone>> = {
  done: "success",
  failed: "error",
  interrupted: "warning",
};

const countFindings = ({ outcome, waring, errors }: ImportRecord): number =>
  errors.length + (outcome === "done" ? waring.split("\n").filter((line) => line !== "").length : 0);

function ImportOutcome({ record }: { readonly record: ImportRecord }) {
  const t = useTexts();
  if (record.outcome === null) return <ImportProgress record={record} />;
  return <Status tone={tones[record.outcome]}>{t.outcomes[record.outcome]}</Status>;
}

export function useImportColumns(onOpen: (record: ImportRecord) => void): Column<ImportRecord>[] {
  const t = useTexts();
  return [
    { field: "fileName", title: t.fileName, width: 240 },
    { field: "sheet", title: t.sheet, width: 140, render: ({ sheet }) => t.sheets[sheet] },
    { field: "month", title: t.month, width: 90, render: ({ month }) => month ?? "—" },
    { field: "outcome", title: t.phase, width: 190, render: (record) => <ImportOutcome record={record} /> },
    { field: "rows", title: t.rows, width: 90, align: "right", render: ({ rows }) => formatCount(rows) },
    {
      field: "findings",
      title: t.findings,
      width: 70,
      render: (record) => {
        const count = countFindings(record);
        return count === 0 ? (
          <span className="q-soft">{t.none}</span>
        ) : (
          <RowAction
            needs="nothing"
            label={`${t.findingsCount(count)} ${record.fileName}`}
            onClick={() => onOpen(record)}
          >
            {t.findingsCount(count)}
          </RowAction>
        );
      },
    },
    { field: "startTime", title: t.startTime, width: 160, wraps: true, sortable: true },
    {
      field: "endTime",
      title: t.endTime,
      width: 160,
      wraps: true,
      hidden: true,
      render: ({ endTime }) => endTime ?? "—",
    },
    actionColumn(t.operations, 80, (record) => (
      <RowAction needs="nothing" label={`${t.open} ${record.fileName}`} onClick={() => onOpen(record)}>
        {t.open}
      </RowAction>
    )),
  ];
}
