import { useMemo } from "react";
import { diseaseCommand } from "#console/api/disease-command.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/disease-command/detection/texts.ts";
import { listDays, mostRecords, splitDays } from "#console/pages/disease-command/trend/by-day.ts";
import { DayChart } from "#console/pages/disease-command/trend/day-chart.tsx";
import { texts as trendTexts } from "#console/pages/disease-command/trend/texts.ts";
import { TrendPage } from "#console/pages/disease-command/trend/trend-page.tsx";

const query = { orderField: "statisticsDate", order: "desc", pageSize: mostRecords } as const;

/** Who was tested, and who was abnormal, by day and category of people. */
export function DetectionTrendPage() {
  const t = useTexts(texts);
  const { others } = useTexts(trendTexts);
  const { data, error, refetch } = useRead(diseaseCommand.listDetection, { query });
  const shown = useMemo(() => {
    if (!data) return undefined;
    const days = listDays(data.list, data.totalCount > data.list.length);
    const split = (field: "detectionCount" | "abnormalCount") =>
      splitDays(
        data.list,
        days,
        ({ peopleType }) => peopleType,
        (row) => row[field],
        others,
      );
    return { days, tested: split("detectionCount"), abnormal: split("abnormalCount") };
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
