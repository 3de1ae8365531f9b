import { IfMay } from "#console/blocks/if-may.tsx";
import { Button, Flex } from "antd";
import { reporting } from "#shared/api/reporting.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { FilePreview } from "#console/blocks/file-preview.tsx";
import { formatCount, joinWords } from "#console/blocks/format.ts";
import { Status } from "#console/blocks/status.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { mayChange, mayClose, type Report, verdictTones } from "#console/pages/reporting/report.ts";
import { useReportActions } from "#console/pages/reporting/report-actions.ts";
import { ReportHistory } from "#console/pages/reporting/report-history.tsx";
import { useNextToJudge } from "#console/pages/reporting/use-next-to-judge.ts";
import { texts } from "#console/pages/reporting/texts.ts";

interface ReportDrawerProps {
  readonly id: number;
  /** Opens another. */
  readonly onOpen: (id: number) => void;
  readonly onJudge: (report: Report) => void;
  readonly onClose: () => void;
}

/** All of one report, its files, and what can be done with it. */
export function ReportDrawer({ id, onOpen, onJudge, onClose }: ReportDrawerProps) {
  const t = useTexts(texts);
  const { data: report, error, refetch } = useRead(reporting.readReport, { params: { itemId: id } });
  const { close, remove } = useReportActions();
  return (
    <DetailDrawer
      title={report?.entryName ?? t.reports}
      details={error ? [] : report && describe(report, t)}
      width={720}
      audited={{ service: "reporting", record: id, what: "report" }}
      onClose={onClose}
      actions={
        <>
          <NextToJudge id={id} isDone={report !== undefined && report.valid !== 0} onOpen={onOpen} />
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

interface NextToJudgeProps extends Pick<ReportDrawerProps, "id" | "onOpen"> {
  /** This one is judged. */
  readonly isDone: boolean;
}

/** On to the next report that is to be judged. */
function NextToJudge({ id, isDone, onOpen }: NextToJudgeProps) {
  const t = useTexts(texts);
  const { next, others, pass } = useNextToJudge(id);
  if (others === undefined) return null;
  if (next === undefined) return <span className="q-soft">{t.noneToJudge}</span>;
  return (
    <Button
      {...(isDone && { type: "primary" })}
      onClick={() => {
        pass();
        onOpen(next);
      }}
    >
      {t.nextToJudge(formatCount(others))}
    </Button>
  );
}

type ReportTexts = (typeof texts)["zh"];

function describe(report: DataOf<typeof reporting.readReport>, t: ReportTexts) {
  const files = [...(report.bFile ?? []), report.file ?? ""].filter((path) => path !== "");
  return [
    { label: t.name, value: report.name },
    { label: t.company, value: report.company },
    { label: t.phone, value: report.phone },
    { label: t.wxPhone, value: report.wxPhone },
    { label: t.customerName, value: report.customerName },
    { label: t.trade, value: report.trade },
    { label: t.projectAmount, value: report.projectAmount },
    { label: t.tenderTime, value: report.tenderTime },
    { label: t.licensing, value: report.licensing },
    { label: t.product, value: report.product },
    { label: t.bProduct, value: joinWords(report.bProduct), wide: true },
    { label: t.content, value: report.content, wide: true },
    { label: t.parameters, value: report.parameters, wide: true },
    {
      label: t.files,
      wide: true,
      value:
        files.length === 0 ? null : (
          <Flex wrap gap={8}>
            {files.map((path) => (
              <FilePreview key={path} path={path} />
            ))}
          </Flex>
        ),
    },
    {
      label: t.status,
      value: report.delStatus === 0 ? t.delStatuses[0] : t.statuses[report.status],
    },
    { label: t.valid, value: <Status tone={verdictTones[report.valid]}>{t.verdicts[report.valid]}</Status> },
    { label: t.reportingTime, value: report.reportingTime },
    { label: t.updateTime, value: report.updateTime },
    {
      label: t.receipt,
      wide: true,
      value: (
        <>
          <CopyText text={report.receipt} label={t.receipt} />
          <div className="q-soft">{t.receiptAbout}</div>
        </>
      ),
    },
  ];
}
