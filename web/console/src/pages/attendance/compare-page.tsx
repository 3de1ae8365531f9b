import { Empty, Result, Skeleton } from "antd";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { ComparisonBar } from "#console/pages/attendance/compare/comparison-bar.tsx";
import { ComparisonTable } from "#console/pages/attendance/compare/comparison-table.tsx";
import { texts as ownTexts } from "#console/pages/attendance/compare/texts.ts";
import { useCompared } from "#console/pages/attendance/compare/use-compared.ts";
import type { Month } from "#console/pages/attendance/records.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import "#console/pages/attendance/attendance.css";

/** A month beside another or beside a version of its own, person by person; what is compared is in the address. */
export function ComparePage() {
  const t = { ...useTexts(texts), ...useTexts(ownTexts) };
  const months = useRead(attendance.listMonths, {});
  return (
    <>
      <PageHead title={t.compare} about={t.about} />
      {months.error && <Failure failure={months.error} onRetry={months.refetch} />}
      {months.isPending && (
        <div className="q-card">
          <Skeleton active />
        </div>
      )}
      {months.data && <Comparing analysed={months.data.filter(({ statu }) => statu === 2)} />}
    </>
  );
}

function Comparing({ analysed }: { readonly analysed: readonly Month[] }) {
  const t = useTexts(ownTexts);
  const { month, other, versions, department, onlyChanged, ...rest } = useCompared(analysed);
  if (month !== undefined && !analysed.some((each) => each.month === month))
    return <Result title={t.notFinished(month)} />;
  if (month === undefined || (other === undefined && versions?.length === 0))
    return (
      <div className="q-card">
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.needsAnother} />
      </div>
    );
  if (other === undefined)
    return (
      <div className="q-card">
        <Skeleton active />
      </div>
    );
  const compared = { month, other, department, onlyChanged };
  const version = "version" in other ? versions?.find(({ id }) => id === other.version) : undefined;
  const otherName = "with" in other ? other.with : version ? t.versionShort(version.number) : "";
  return (
    <>
      <ComparisonBar compared={compared} analysed={analysed} choices={{ versions, ...rest }} />
      <ComparisonTable compared={compared} otherName={otherName} />
    </>
  );
}
