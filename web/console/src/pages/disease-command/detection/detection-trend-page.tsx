import { useMemo } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { useRead } from "#console/call/use-call.ts";
import { useDetectionTexts as useTexts, useTrendTexts } from "#console/pages/disease-command/texts.ts";
import {
  DayChart,
  groupDays,
  listDays,
  mostRecords,
  sumDays,
  TrendPage,
} from "#console/pages/disease-command/trend/trend-page.tsx";

const query = { orderField: "statisticsDate", order: "desc", pageSize: mostRecords } as const;

export function DetectionTrendPage() {
  const t = useTexts();
  const { others } = useTrendTexts();
  const { data, error, refetch } = useRead(diseaseCommand.listDetection, { query });
  const shown = useMemo(() => {
    if (!data) return undefined;
    const days = listDays(data.list, data.totalCount > data.list.length);
    // Both charts list the categories in the same sequence, so that each category has one colour.
    const groups = groupDays(data.list, days, {
      nameOf: ({ peopleType }) => peopleType,
      sizeOf: ({ detectionCount }) => detectionCount,
      others,
    });
    const sum = (field: "detectionCount" | "abnormalCount") =>
      groups.map(({ name, records }) => ({ name, values: sumDays(records, days, (row) => row[field]) }));
    return { days, tested: sum("detectionCount"), abnormal: sum("abnormalCount") };
  }, [data, others]);
  return (
    <TrendPage
      title={t.title}
      list="/disease-command/detection"
      days={shown?.days}
      failure={error}
      onRetry={() => void refetch()}
    >
      {shown && (
        <>
          <DayChart title={t.detectionCount} days={shown.days} series={shown.tested} shape="bars" />
          <DayChart title={t.abnormalCount} days={shown.days} series={shown.abnormal} shape="bars" />
        </>
      )}
    </TrendPage>
  );
}
