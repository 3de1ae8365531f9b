import { IfMay } from "#console/blocks/buttons.tsx";
import { Button } from "antd";
import { reporting } from "#shared/api/reporting.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { useRead } from "#console/call/use-call.ts";
import { mayChange, mayClose, type Report, useReportActions } from "#console/pages/reporting/report.ts";
import { describeReport, ReportHistory } from "#console/pages/reporting/report-facts.tsx";
import { useTexts } from "#console/pages/reporting/texts.ts";

interface ReportDrawerProps {
  readonly id: number;
  readonly onJudge: (report: Report) => void;
  readonly onClose: () => void;
}

export function ReportDrawer({ id, onJudge, onClose }: ReportDrawerProps) {
  const t = useTexts();
  const { data: report, error, refetch } = useRead(reporting.readReport, { params: { itemId: id } });
  const { close, remove } = useReportActions();
  return (
    <DetailDrawer
      title={report?.entryName ?? t.reports}
      details={error ? [] : report && describeReport(report, t)}
      width={720}
      audited={{ service: "reporting", record: id, what: "report" }}
      onClose={onClose}
      actions={
        <>
          {report && mayChange(report) && (
            <IfMay operation={reporting.markValid}>
              <Button danger onClick={() => remove([report], onClose)}>
                {t.remove}
              </Button>
              {mayClose(report) && <Button onClick={() => close([report])}>{t.close}</Button>}
              <Button {...(report.valid === 0 && { type: "primary" })} onClick={() => onJudge(report)}>
                {t.judge}
              </Button>
            </IfMay>
          )}
        </>
      }
    >
      {report && <ReportHistory events={report.events} />}
      {error && <Failure failure={error} onRetry={refetch} />}
    </DetailDrawer>
  );
}
