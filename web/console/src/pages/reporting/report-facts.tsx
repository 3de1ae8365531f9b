import { Flex } from "antd";
import type { reporting } from "#shared/api/reporting.ts";
import { CopyText } from "#console/blocks/copy-text.tsx";
import type { Detail } from "#console/blocks/detail-drawer.tsx";
import { FilePreview } from "#console/blocks/file-preview.tsx";
import { joinWords } from "#console/blocks/format.ts";
import { Status, type Tone } from "#console/blocks/status.tsx";
import { Timeline, TimelineItem } from "#console/blocks/timeline.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { toOutsideAddress } from "#shared/place.ts";
import { verdictTones } from "#console/pages/reporting/report.ts";
import { useTexts } from "#console/pages/reporting/texts.ts";

export type ReportDetail = DataOf<typeof reporting.readReport>;
type ReportTexts = ReturnType<typeof useTexts>;

export function describeReport(report: ReportDetail, t: ReportTexts): Detail[] {
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
          <CopyText text={toOutsideAddress(`/h5/report/r/${report.receipt}`)} label={t.receipt} />
          <div className="q-soft">{t.receiptAbout}</div>
        </>
      ),
    },
  ];
}

type Events = ReportDetail["events"];
type Event = Events[number];

export function ReportHistory({ events }: { readonly events: Events }) {
  const t = useTexts();
  return (
    <Timeline title={t.history}>
      {events.map((event, index) => (
        // Events are append-only and may share a second, so the index is the key.
        // oxlint-disable-next-line react/no-array-index-key
        <TimelineItem key={index} tone={toTone(event)} about={<Whence event={event} />}>
          {event.what === "judged" && event.valid !== null ? t.judgedAs(t.verdicts[event.valid]) : t.events[event.what]}
          {event.changes?.map(({ field, before, after }) => (
            <div key={field} className="q-value">
              {t.changed(isNamed(field, t) ? t[field] : field, before, after)}
            </div>
          ))}
          {event.ps !== null && event.ps !== "" && <div className="q-value">{event.ps}</div>}
        </TimelineItem>
      ))}
    </Timeline>
  );
}

type Named =
  | "company"
  | "customerName"
  | "entryName"
  | "projectAmount"
  | "tenderTime"
  | "content"
  | "parameters"
  | "trade"
  | "licensing"
  | "product"
  | "bProduct";
const isNamed = (field: string, t: ReportTexts): field is Named => typeof t[field as Named] === "string";

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
