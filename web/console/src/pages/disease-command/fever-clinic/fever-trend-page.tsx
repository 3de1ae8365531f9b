import { useMemo } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { useRead } from "#console/call/use-call.ts";
import { useClinicTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import {
  DayChart,
  listDays,
  mostRecords,
  sumDays,
  TrendPage,
} from "#console/pages/disease-command/trend/trend-page.tsx";

const query = { orderField: "statisticsDate", order: "desc", pageSize: mostRecords } as const;

export function FeverTrendPage() {
  const t = useTexts();
  const { data, error, refetch } = useRead(diseaseCommand.listFeverClinics, { query });
  const shown = useMemo(() => {
    if (!data) return undefined;
    const days = listDays(data.list, data.totalCount > data.list.length);
    const total = (field: "feverClinicCount" | "epidemicCount") => ({
      name: t[field],
      values: sumDays(data.list, days, (row) => row[field]),
    });
    return { days, series: [total("feverClinicCount"), total("epidemicCount")] };
  }, [data, t]);
  return (
    <TrendPage
      title={t.title}
      list="/disease-command/fever-clinics"
      days={shown?.days}
      failure={error}
      onRetry={() => void refetch()}
    >
      {shown && <DayChart title={t.feverClinicCount} days={shown.days} series={shown.series} shape="lines" />}
    </TrendPage>
  );
}
