import type { reporting } from "#shared/api/reporting.ts";
import type { Tone } from "#console/blocks/status.tsx";
import { Timeline, TimelineItem } from "#console/blocks/timeline.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/reporting/texts.ts";

type Events = DataOf<typeof reporting.readReport>["events"];
type Event = Events[number];

/** What has happened to a report: by whom, when, and with which remark. */
export function ReportHistory({ events }: { readonly events: Events }) {
  const t = useTexts(texts);
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
