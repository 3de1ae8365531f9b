import { formatCount } from "#console/blocks/format.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { Status, type Tone } from "#console/blocks/status.tsx";
import { useTexts } from "#shared/language/language.ts";
import { ImportProgress, type ImportRecord } from "#console/pages/attendance/import/task-list.tsx";
import { texts } from "#console/pages/attendance/texts.ts";

const tones: Readonly<Record<NonNullable<ImportRecord["outcome"]>, Tone>> = {
  done: "success",
  failed: "error",
  interrupted: "warning",
};

const countFindings = ({ outcome, waring, errors }: ImportRecord): number =>
  errors.length + (outcome === "done" ? waring.split("\n").filter((line) => line !== "").length : 0);

/** How an import went, or how far it is. */
export function ImportOutcome({ record }: { readonly record: ImportRecord }) {
  const t = useTexts(texts);
  if (record.outcome === null) return <ImportProgress record={record} />;
  return <Status tone={tones[record.outcome]}>{t.outcomes[record.outcome]}</Status>;
}

/** The columns of imports, wherever they are listed. */
export function useImportColumns(onOpen: (record: ImportRecord) => void): Column<ImportRecord>[] {
  const t = useTexts(texts);
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
    { field: "startTime", title: t.startTime, width: 160, sortable: true },
    { field: "endTime", title: t.endTime, width: 160, hidden: true, render: ({ endTime }) => endTime ?? "—" },
    actionColumn(t.operations, 80, (record) => (
      <RowAction needs="nothing" label={`${t.open} ${record.fileName}`} onClick={() => onOpen(record)}>
        {t.open}
      </RowAction>
    )),
  ];
}
