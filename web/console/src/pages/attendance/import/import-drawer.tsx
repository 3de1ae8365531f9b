import { Alert } from "antd";
import { attendance } from "#shared/api/attendance.ts";
import { type Detail, DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { formatBytes, formatCount, joinWords } from "#console/blocks/format.ts";
import { ImportFaults } from "#console/blocks/import/import-faults.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { useRanges } from "#console/pages/attendance/coverage/use-ranges.ts";
import { ImportOutcome } from "#console/pages/attendance/import/import-columns.tsx";
import type { ImportRecord } from "#console/pages/attendance/import/task-list.tsx";
import { WarningList } from "#console/pages/attendance/import/warning-list.tsx";
import { texts } from "#console/pages/attendance/texts.ts";

const busyMs = 1000;

/** One import: how far it is while it runs, what came of it afterwards. */
export function ImportDrawer({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const t = useTexts(texts);
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
      value: joinWords(data.covered.map(({ sheet, ...days }) => `${t.evidenceSheets[sheet]} ${write([days])}`)),
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
  const t = useTexts(texts);
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
