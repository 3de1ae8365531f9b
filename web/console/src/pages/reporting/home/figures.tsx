import { reporting } from "#shared/api/reporting.ts";
import { formatCount, today } from "#console/blocks/format.ts";
import { everyMs, StatCard } from "#console/blocks/stat-card.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useMay } from "#console/session/session.ts";
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
  return (
    <div className="q-stats">
      <StatCard
        label={t.today}
        value={useCount({ reportingTime: day })}
        unit={t.unit}
        to={`${list}?reportingTime=${encodeURIComponent(day)}`}
      />
      <Waiting />
      <StatCard label={t.open} value={useCount({ status: 1 })} unit={t.unit} to={`${list}?status=1`} />
      <StatCard label={t.all} value={useCount({})} unit={t.unit} to={list} />
    </div>
  );
}

function Waiting() {
  const t = useTexts();
  const may = useMay()(reporting.markValid);
  const oldest = { orderField: "reportingTime", order: "asc" } as const;
  const query = { valid: 0, ...oldest, currPage: 1, pageSize: 1 } as const;
  const { data, isError } = useRead(reporting.reviewReports, { query }, { everyMs });
  const [first] = data?.list ?? [];
  return (
    <StatCard
      label={t.toJudge}
      value={isError ? "—" : data && formatCount(data.totalCount)}
      unit={t.unit}
      about={data && (first ? t.since(first.reportingTime.slice(0, 16)) : t.nothing)}
      tone={first ? "warning" : "default"}
      to={may ? `/reporting/queue${first ? `?open=${first.id}` : ""}` : `${list}?valid=0`}
    />
  );
}
