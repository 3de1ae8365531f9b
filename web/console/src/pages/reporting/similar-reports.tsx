import { Alert } from "antd";
import { Link } from "react-router";
import { reporting } from "#shared/api/reporting.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useRead } from "#console/call/use-call.ts";
import { verdictTones } from "#console/pages/reporting/report.ts";
import type { ReportDetail } from "#console/pages/reporting/report-facts.tsx";
import { useTexts } from "#console/pages/reporting/texts.ts";

export function SimilarReports({ report }: { readonly report: ReportDetail }) {
  const t = useTexts();
  const { data } = useRead(reporting.listSimilar, { params: { itemId: report.id } });
  if (!data || data.length === 0) return null;
  const first = data.find(({ isAlike, isEarlier }) => isAlike && isEarlier);
  const rows = [{ ...report, score: null, isEarlier: false }, ...data];
  return (
    <section className="q-timeline" aria-label={t.similar}>
      <h3>{t.similar}</h3>
      {first && (
        <Alert
          type="warning"
          showIcon
          title={t.earlier(first.company, first.reportingTime)}
          description={t.until(first.tenderTime)}
        />
      )}
      <Records
        density="small"
        rows={rows}
        rowKey={({ id }) => id}
        empty={null}
        pageSize={6}
        columns={[
          {
            title: t.likeness,
            field: "score",
            width: 80,
            render: ({ score }) => (score === null ? t.thisOne : `${Math.round(score * 100)}%`),
          },
          {
            title: t.entryName,
            field: "entryName",
            width: 180,
            wraps: true,
            render: ({ id, entryName, customerName }) => (
              <>
                <Link to={`/reporting/reports?open=${id}`}>{entryName}</Link>
                <div className="q-soft">{customerName}</div>
              </>
            ),
          },
          {
            title: t.company,
            field: "company",
            width: 150,
            wraps: true,
            render: ({ company, reportingTime }) => (
              <>
                {company}
                <div className="q-soft">{reportingTime}</div>
              </>
            ),
          },
          { title: t.tenderTime, field: "tenderTime", width: 100, wraps: true },
          {
            title: t.valid,
            field: "valid",
            width: 100,
            render: ({ valid }) => <Status tone={verdictTones[valid]}>{t.verdicts[valid]}</Status>,
          },
        ]}
      />
    </section>
  );
}
