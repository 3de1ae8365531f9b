import { Button, Empty, Skeleton } from "antd";
import { useNavigate } from "react-router";
import { reporting } from "#shared/api/reporting.ts";
import { ButtonLink } from "#console/blocks/buttons.tsx";
import { Details } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { useListState } from "#console/blocks/list-page/address.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import { Queue, type QueueControls } from "#console/blocks/queue/queue.tsx";
import { type Verdict, Verdicts } from "#console/blocks/queue/verdicts.tsx";
import { callWith } from "#console/call/call.ts";
import { useRead } from "#console/call/use-call.ts";
import { ReasonsEditor } from "#console/pages/reporting/reasons-editor.tsx";
import { mayReturn, type Report } from "#console/pages/reporting/report.ts";
import { describeReport, ReportHistory } from "#console/pages/reporting/report-facts.tsx";
import { SimilarReports } from "#console/pages/reporting/similar-reports.tsx";
import { useTexts } from "#console/pages/reporting/texts.ts";

const pageSize = 50;

export function QueuePage() {
  const t = useTexts();
  const navigate = useNavigate();
  const [{ filters, page }, change] = useListState();
  const oldest = { orderField: "reportingTime", order: "asc" } as const;
  const query = { ...filters, ...oldest, delStatus: 1, valid: 0, currPage: page, pageSize } as const;
  const { data, error, refetch } = useRead(reporting.reviewReports, { query }, { keep: true });
  const isSearched = Object.keys(filters).length > 0;
  return (
    <>
      <PageHead title={t.queue} about={isSearched ? t.queueSearched : t.queueAbout}>
        {isSearched && <Button onClick={() => void navigate("/reporting/queue")}>{t.queueAll}</Button>}
        <ButtonLink to="/reporting/reports">{t.reports}</ButtonLink>
      </PageHead>
      {error && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active className="q-card" />}
      {data && (
        <Queue
          label={t.queue}
          service="reporting"
          page={data}
          reread={refetch}
          idOf={({ id }) => id}
          entry={(report) => <Entry report={report} />}
          empty={
            <section className="q-card q-inbox-pane">
              <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.queueEmpty} />
            </section>
          }
          onPage={(next) => change({ page: next })}
        >
          {(report, controls) => <ReportCase report={report} controls={controls} />}
        </Queue>
      )}
    </>
  );
}

const Entry = ({ report }: { readonly report: Report }) => (
  <>
    <strong className="q-cut">{report.entryName}</strong>
    <span className="q-cut">{report.company}</span>
    <span className="q-soft q-figures">{report.reportingTime}</span>
  </>
);

interface ReportCaseProps {
  readonly report: Report;
  readonly controls: QueueControls;
}

function ReportCase({ report, controls }: ReportCaseProps) {
  const t = useTexts();
  const { data, error, refetch } = useRead(reporting.readReport, { params: { itemId: report.id } });
  const { data: reasons } = useRead(reporting.listReasons, {});
  const said = (verdict: string) => t.judgedSaid(report.entryName, verdict);
  const itemId = report.id;
  const giveBack: Verdict = {
    letter: "R",
    label: t.returned,
    said: said(t.returned),
    needs: reporting.markReturned,
    reason: "needed",
    send: (ps = "", options) => callWith(reporting.markReturned, { body: { itemId, ps } }, options),
  };
  const toBody = (ps: string | undefined) => ({ body: { itemId, ...(ps !== undefined && { ps }) } });
  return (
    <>
      <div className="q-inbox-line">
        <h2>{report.entryName}</h2>
        <span className="q-soft">{report.company}</span>
      </div>
      <Verdicts
        controls={controls}
        reasons={reasons ?? []}
        editReasons={<ReasonsEditor reasons={reasons ?? []} />}
        maxReason={200}
        verdicts={[
          {
            letter: "V",
            label: t.verdicts[1],
            said: said(t.verdicts[1]),
            needs: reporting.markValid,
            look: "primary",
            send: (_reason, options) => callWith(reporting.markValid, toBody(undefined), options),
          },
          {
            letter: "I",
            label: t.verdicts[2],
            said: said(t.verdicts[2]),
            needs: reporting.markInvalid,
            reason: "optional",
            send: (reason, options) => callWith(reporting.markInvalid, toBody(reason), options),
          },
          ...(mayReturn(report) ? [giveBack] : []),
        ]}
      />
      {error && <Failure failure={error} onRetry={refetch} />}
      {!data && !error && <Skeleton active />}
      {data && (
        <>
          <SimilarReports report={data} />
          <Details details={describeReport(data, t)} />
          <ReportHistory events={data.events} />
        </>
      )}
    </>
  );
}
