import { reporting } from "#shared/api/reporting.ts";
import { addDays, formatCount, today } from "#console/blocks/format.ts";
import { everyMs, StatCard } from "#console/blocks/stat-card.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/reporting/home/texts.ts";

function useCount(filter: { readonly reportingTime?: string; readonly status?: 0 | 1 }): string | undefined {
  const { data, isError } = useRead(
    reporting.listReports,
    { query: { ...filter, currPage: 1, pageSize: 1 } },
    { everyMs },
  );
  return isError ? "—" : data && formatCount(data.totalCount);
}

const list = "/reporting/reports";

export function ReportingFigures() {
  const t = useTexts();
  const day = `${today()},${today()}`;
  const yesterday = addDays(today(), -1);
  const before = useCount({ reportingTime: `${yesterday},${yesterday}` });
  return (
    <div className="q-stats">
      <StatCard
        label={t.today}
        value={useCount({ reportingTime: day })}
        unit={t.unit}
        about={before !== undefined && t.yesterday(before)}
        to={`${list}?reportingTime=${encodeURIComponent(day)}`}
      />
      <StatCard label={t.open} value={useCount({ status: 1 })} unit={t.unit} to={`${list}?status=1`} />
    </div>
  );
}
