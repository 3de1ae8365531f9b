import { ImportOutlined, PlayCircleOutlined } from "@ant-design/icons";
import { Button, Result, Skeleton } from "antd";
import { attendance } from "#shared/api/attendance.ts";
import { IfMay } from "#console/blocks/if-may.tsx";
import { useTexts } from "#shared/language/language.ts";
import type { MonthProps } from "#console/pages/attendance/records.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import { useAnalyse } from "#console/pages/attendance/use-analysis.ts";

/** In place of the grid: what is to be done for there to be one. */
export function NotAnalysed({ month: { month, statu, employees }, onImport }: MonthProps) {
  const t = useTexts(texts);
  const analyse = useAnalyse();
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
      extra={
        <IfMay operation={attendance.analyse}>
          <Button
            type="primary"
            icon={<PlayCircleOutlined />}
            loading={analyse.isPending}
            onClick={() => analyse.mutate({ query: { month } })}
          >
            {t.analyse}
          </Button>
        </IfMay>
      }
    />
  );
}
