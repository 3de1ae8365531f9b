import { Button } from "antd";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { pushRelay } from "#shared/api/push-relay.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { Timeline, TimelineItem } from "#console/blocks/timeline.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { DeliveryStatus, nameEvent, useProjectNames, useReplay } from "#console/pages/push-relay/delivery.tsx";
import { describeFault } from "#console/blocks/sending-fault.ts";
import { formatDuration } from "#console/pages/push-relay/project.tsx";
import { DeliveryComparison } from "#console/pages/push-relay/delivery-comparison.tsx";
import { mostShown, Source, toLines, toShown } from "#console/pages/push-relay/source.tsx";
import { type RelayTexts, useTexts } from "#console/pages/push-relay/texts.ts";
import { useMay } from "#console/session/session.ts";
import { CopyButton } from "#console/blocks/copy-text.tsx";
import "#console/pages/push-relay/push-relay.css";

type Delivery = DataOf<typeof pushRelay.findDelivery>;

const everyMs = 5000;
const soonMs = 1000;

export function DeliveryDrawer({ id, onClose }: { readonly id: number; readonly onClose: () => void }) {
  const t = useTexts();
  const may = useMay();
  const replay = useReplay();
  const nameProject = useProjectNames();
  const { data: delivery, error, refetch } = useRead(pushRelay.findDelivery, { params: { id } }, { everyMs });
  return (
    <DetailDrawer
      title={t.delivery(id)}
      details={error ? [] : delivery && describe(delivery, nameProject(delivery.projectId), t)}
      width={860}
      onClose={onClose}
      actions={
        delivery &&
        may(pushRelay.replayDeliveries) && (
          <Button type="primary" onClick={() => replay([id])}>
            {t.replay}
          </Button>
        )
      }
    >
      {error && <Failure failure={error} onRetry={refetch} />}
      {delivery && <Attempts delivery={delivery} />}
      {delivery && <DeliveryComparison key={id} delivery={delivery} />}
    </DetailDrawer>
  );
}

const describe = (delivery: Delivery, project: string, t: RelayTexts) => [
  {
    label: t.replayProject,
    value: <Link to={`/push-relay/projects?open=${delivery.projectId}`}>{project}</Link>,
  },
  {
    label: t.deliveryStatus,
    value: <DeliveryStatus status={delivery.status} attempts={delivery.attempts.length} />,
  },
  { label: t.event, value: `${nameEvent(delivery.event, t)} (${delivery.event})` },
  { label: t.subject, value: <Subject delivery={delivery} /> },
  { label: t.deliveryTime, value: delivery.createTime },
  { label: t.deliveredTime, value: delivery.deliveredTime },
  {
    label: t.eventId,
    wide: true,
    value: (
      <>
        <code>{delivery.eventId}</code>
        <div className="q-soft">{t.eventIdHelp}</div>
      </>
    ),
  },
];

function Subject({ delivery: { event, subject } }: { readonly delivery: Delivery }) {
  const t = useTexts();
  if (subject === null) return t.aboutNobody;
  const kind = event.endsWith("User") ? "person" : "organisation";
  return <Link to={`/push-relay/directory?kind=${kind}&keyword=${encodeURIComponent(subject)}`}>{subject}</Link>;
}

function Attempts({ delivery }: { readonly delivery: Delivery }) {
  const t = useTexts();
  const { attempts, status } = delivery;
  const { data: sent } = useRead(
    pushRelay.findExchanges,
    { params: { id: delivery.id } },
    // Polling ends once the latest attempt is included.
    { everyMs: (last) => (last && last.attempts.length < attempts.length ? soonMs : undefined) },
  );
  return (
    <Timeline title={t.timeline}>
      {attempts.map((attempt, index) => (
        // Attempts are append-only and may share a second, so the index is the key.
        // oxlint-disable-next-line react/no-array-index-key
        <Attempt key={index} attempt={attempt}>
          {sent?.attempts[index] && <AttemptExchange exchange={sent.attempts[index]} sent={sent} />}
        </Attempt>
      ))}
      {attempts.length === 0 && <TimelineItem>{t.noAttemptYet}</TimelineItem>}
      {status === "dead" && <TimelineItem>{t.deadEnd}</TimelineItem>}
      {status === "pending" && <NextAttempt delivery={delivery} />}
    </Timeline>
  );
}

function NextAttempt({ delivery: { projectId, attempts, nextAttemptTime } }: { readonly delivery: Delivery }) {
  const t = useTexts();
  const { data: projects = [] } = useRead(pushRelay.listProjects, {});
  const project = projects.find(({ id }) => id === projectId);
  const isHeld = project !== undefined && (project.paused || project.statu === 1);
  return (
    <TimelineItem>
      {nextAttemptTime !== null && !isHeld && t.nextAt(nextAttemptTime)}
      {isHeld && t.waitsProject}
      {attempts.length === 0 && <div className="q-soft">{t.waitsAhead}</div>}
    </TimelineItem>
  );
}

interface AttemptProps {
  readonly attempt: Delivery["attempts"][number];
  readonly children: ReactNode;
}

function Attempt({ attempt: { time, statusCode, durationMs, error }, children }: AttemptProps) {
  const t = useTexts();
  return (
    <TimelineItem tone={error === null ? "success" : "error"}>
      {error === null ? t.attemptOk(statusCode) : describeFault(error, t.errors)}
      <div className="q-soft q-figures">
        {time}
        {" · "}
        {t.took(formatDuration(durationMs, t))}
      </div>
      {children}
    </TimelineItem>
  );
}

type Exchanges = DataOf<typeof pushRelay.findExchanges>;
type Exchange = Exchanges["attempts"][number];

function AttemptExchange({ exchange, sent }: { readonly exchange: Exchange; readonly sent: Exchanges }) {
  const t = useTexts();
  const { url, headers, response } = exchange;
  const curl = toCurl({ method: sent.method, url, headers, body: sent.body });
  return (
    <details className="q-push-exchange">
      <summary>{t.exchange}</summary>
      <div className="q-buttons q-apart">
        <h4>{t.request}</h4>
        <CopyButton text={curl} label={t.copyCurl} />
      </div>
      <Source name={t.requestHeaders} text={`${sent.method} ${url}\n${toLines(headers)}`} />
      <Source name={t.requestBody} text={toShown(sent.body)} />
      {sent.body.length > mostShown && <p className="q-soft">{t.requestCut}</p>}
      <p className="q-soft">{t.maskedAbout}</p>
      <h4>{t.response}</h4>
      {response ? (
        <>
          <Source name={t.responseHeaders} text={toLines(response.headers)} />
          {response.body === "" ? <p className="q-soft">{t.responseEmpty}</p> : null}
          {response.body !== "" && <Source name={t.responseBody} text={toShown(response.body)} />}
          {response.cut && <p className="q-soft">{t.responseCut}</p>}
        </>
      ) : (
        <p className="q-soft">{t.noResponse}</p>
      )}
    </details>
  );
}

interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

// Within single quotes a shell interprets only the closing quote.
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const toCurl = ({ method, url, headers, body }: SentRequest): string =>
  [
    `curl -i -X ${method} ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `--data-raw ${quote(body)}`,
  ].join(" \\\n  ");
