import { IfMay } from "#console/blocks/buttons.tsx";
import { Button, Flex } from "antd";
import { reporting } from "#shared/api/reporting.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { FilePreview } from "#console/blocks/file-preview.tsx";
import { formatCount, joinWords } from "#console/blocks/format.ts";
import { Status, type Tone } from "#console/blocks/status.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { mayChange, mayClose, type Report, useReportActions, verdictTones } from "#console/pages/reporting/report.ts";
import { useTexts } from "#console/pages/reporting/texts.ts";
import { Timeline, TimelineItem } from "#console/blocks/timeline.tsx";
import { useState } from "react";
import { useListState } from "#console/blocks/list-page/address.ts";

interface ReportDrawerProps {
  readonly id: number;
  readonly onOpen: (id: number) => void;
  readonly onJudge: (report: Report) => void;
  readonly onClose: () => void;
}

export function ReportDrawer({ id, onOpen, onJudge, onClose }: ReportDrawerProps) {
  const t = useTexts();
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
  readonly isDone: boolean;
}

function NextToJudge({ id, isDone, onOpen }: NextToJudgeProps) {
  const t = useTexts();
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

type ReportTexts = ReturnType<typeof useTexts>;

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
              <FilePreview key={path} path={path} receipt={report.receipt} />
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

type Events = DataOf<typeof reporting.readReport>["events"];
type Event = Events[number];

function ReportHistory({ events }: { readonly events: Events }) {
  const t = useTexts();
  return (
    <Timeline title={t.history}>
      {events.map((event, index) => (
        // Events are only ever added at the end, and several may be of one second.
        // oxlint-disable-next-line react/no-array-index-key
        <TimelineItem key={index} tone={toTone(event)} about={<Whence event={event} />}>
          {event.what === "judged" && event.valid !== null ? t.judgedAs(t.verdicts[event.valid]) : t.events[event.what]}
          {event.ps !== null && event.ps !== "" && <div className="q-value">{event.ps}</div>}
        </TimelineItem>
      ))}
    </Timeline>
  );
}

const toTone = ({ what, valid }: Event): Tone =>
  what === "messageRefused" || valid === 2 ? "error" : what === "messageSent" || valid === 1 ? "success" : "default";

function Whence({ event: { time, by } }: { readonly event: Event }) {
  return by === null ? (
    time
  ) : (
    <>
      {time}
      {" · "}
      <span title={by.userName}>{by.name || by.userName}</span>
    </>
  );
}

const pageSize = 50;

interface NextOnes {
  /** Undefined when no other is left, or while it is not known. */
  readonly next: number | undefined;
  /** How many others are to be judged; undefined while it is not known. */
  readonly others: number | undefined;
  /** To be called when one goes on: who passes a report over meets it again after all others. */
  readonly pass: () => void;
}

/** The report to be judged after this one, in the order and by the search of the list; round from its end to its top. */
function useNextToJudge(current: number): NextOnes {
  const [{ filters, sort, order }] = useListState();
  const sorting = sort && order ? { orderField: sort, order } : {};
  const query = { ...filters, ...sorting, delStatus: 1, valid: 0, currPage: 1, pageSize };
  const { data } = useRead(reporting.listReports, { query } as never);
  const [passed, setPassed] = useState<ReadonlySet<number>>(new Set());
  const ids = data?.list.map(({ id }) => id) ?? [];
  const index = ids.indexOf(current);
  // Once it is judged, it leaves the list, and what was behind it stands in its place.
  const [place, setPlace] = useState(0);
  if (index >= 0 && index !== place) setPlace(index);
  const others = ids.filter((id) => id !== current);
  const inTurn = [...others.slice(place), ...others.slice(0, place)];
  return {
    next: inTurn.find((id) => !passed.has(id)) ?? inTurn[0],
    others: data && data.totalCount - (index >= 0 ? 1 : 0),
    pass: () => setPassed(new Set([...passed, current])),
  };
}
