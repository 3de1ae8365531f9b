import { type ReactNode, useState } from "react";
import { Field } from "#public/blocks/field.tsx";
import { openKept } from "#public/blocks/kept.ts";
import { Shell } from "#public/blocks/shell.tsx";
import { Empty, Failed, Waiting } from "#public/blocks/states.tsx";
import { useTexts as useCommonTexts } from "#public/blocks/texts.ts";
import { useSending } from "#public/blocks/use-sending.ts";
import { useTexts } from "#public/receiver/texts.ts";
import { pushRelay } from "#shared/api/push-relay.ts";
import { callWith, isTokenRefused } from "#shared/call/exchange.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useReading } from "#shared/call/use-reading.ts";
import "#public/receiver/receiver.css";

type Delivery = RecordOf<typeof pushRelay.listOwnDeliveries>;

const kept = openKept<string>("receiver");
const pageSize = 20;
const byKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

export function ReceiverPage(): ReactNode {
  const t = useTexts();
  const [key, setKey] = useState(() => kept.get() ?? null);
  const change = (next: string | null) => {
    if (next === null) kept.forget();
    else kept.set(next);
    setKey(next);
  };
  return (
    <Shell title={t.title}>
      {key === null ? <Enter onKey={change} /> : <Own key={key} own={key} onLeave={() => change(null)} />}
    </Shell>
  );
}

function Enter({ onKey }: { readonly onKey: (key: string) => void }) {
  const t = useTexts();
  const [given, setGiven] = useState("");
  const { isSending, failure, send } = useSending();
  return (
    <form
      className="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        const key = given.trim();
        send(async () => {
          await callWith(pushRelay.readOwn, {}, byKey(key));
          onKey(key);
        });
      }}
    >
      <Field needed label={t.key} hint={t.keyHelp}>
        {(control) => (
          <input
            {...control}
            required
            type="password"
            autoComplete="off"
            value={given}
            onInput={({ currentTarget }) => setGiven(currentTarget.value)}
          />
        )}
      </Field>
      {failure && <Failed failure={failure} />}
      <button type="submit" className="button" data-kind="main" data-wide="" disabled={isSending}>
        {t.open}
      </button>
    </form>
  );
}

interface OwnProps {
  readonly own: string;
  readonly onLeave: () => void;
}

function Own({ own, onLeave }: OwnProps) {
  const t = useTexts();
  const [turn, setTurn] = useState(0);
  const refresh = () => setTurn((last) => last + 1);
  const {
    data: project,
    failure,
    retry,
  } = useReading(String(turn), (signal) => callWith(pushRelay.readOwn, {}, { ...byKey(own), signal }));
  const leave = (
    <button type="button" className="button" data-kind="quiet" onClick={onLeave}>
      {t.leave}
    </button>
  );
  if (failure)
    return failure instanceof CallFailure && isTokenRefused(pushRelay.readOwn, failure.code) ? (
      <>
        <Failed failure={new Error(t.ended)} />
        {leave}
      </>
    ) : (
      <Failed failure={failure} retry={retry} />
    );
  if (!project) return <Waiting />;
  const { health, statu, paused, pull } = project;
  const facts = {
    [t.state]: statu === 1 ? t.invalid : paused ? t.paused : t.valid,
    [t.way]: pull ? t.pulled : t.pushed,
    ...(!pull && { [t.url]: project.url }),
    [t.pending]: project.pending,
    [t.dead]: project.dead,
    [t.lastSuccess]: project.lastSuccessTime ?? t.never,
    ...(project.lastError !== null && { [t.lastError]: project.lastError }),
    [t.since(health.since)]: t.attempts(health.delivered, health.failed),
  };
  return (
    <>
      <section className="card stack">
        <h2>{project.project}</h2>
        <dl className="facts">
          {Object.entries(facts).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <div className="row">
          <button type="button" className="button" onClick={refresh}>
            {t.refresh}
          </button>
          {leave}
        </div>
      </section>
      <Deliveries own={own} turn={turn} onSent={refresh} />
    </>
  );
}

interface DeliveriesProps {
  readonly own: string;
  readonly turn: number;
  readonly onSent: () => void;
}

function Deliveries({ own, turn, onSent }: DeliveriesProps) {
  const t = useTexts();
  const common = useCommonTexts();
  const [status, setStatus] = useState<Delivery["status"] | "">("");
  const [count, setCount] = useState(pageSize);
  const { data, failure, retry } = useReading(`${turn} ${status} ${count}`, (signal) => {
    const query = { curPage: 1, pageSize: count, ...(status !== "" && { status }) };
    return callWith(pushRelay.listOwnDeliveries, { query }, { ...byKey(own), signal });
  });
  return (
    <section className="stack" aria-label={t.deliveries}>
      <Field needed label={t.deliveries}>
        {(control) => (
          <select
            {...control}
            value={status}
            onChange={({ currentTarget }) => setStatus(currentTarget.value as typeof status)}
          >
            <option value="">{t.all}</option>
            {Object.entries(t.status).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {failure && <Failed failure={failure} retry={retry} />}
      {!data && !failure && <Waiting />}
      {data?.list.length === 0 && <Empty>{t.none}</Empty>}
      {data?.list.map((delivery) => (
        <One key={delivery.id} own={own} delivery={delivery} onSent={onSent} />
      ))}
      {data && data.totalCount > data.list.length && count < 1000 && (
        <button type="button" className="button" data-wide="" onClick={() => setCount(Math.min(1000, count * 2))}>
          {common.more}
        </button>
      )}
    </section>
  );
}

const tones = { pending: "warn", delivered: "good", dead: "bad" } as const;

function One({
  own,
  delivery,
  onSent,
}: {
  readonly own: string;
  readonly delivery: Delivery;
  readonly onSent: () => void;
}) {
  const t = useTexts();
  const { isSending, failure, send } = useSending();
  const { id, event, subject, status, lastStatusCode, lastError, createTime, body } = delivery;
  const again = async () => {
    await callWith(pushRelay.replayOwn, { body: { ids: [id] } }, byKey(own));
    onSent();
  };
  return (
    <article className="card stack">
      <div className="receiver-head">
        <h3>
          {event} {subject}
        </h3>
        <span className="tag" data-tone={tones[status]}>
          {t.status[status]}
        </span>
      </div>
      <p className="soft">
        {createTime}
        {lastStatusCode !== null && ` · ${t.answer(lastStatusCode)}`}
        {lastError !== null && ` · ${lastError}`}
      </p>
      <details>
        <summary>{t.payload}</summary>
        {/* Long lines wrap, so that a phone shows the whole payload. */}
        <pre className="receiver-body">{body ?? t.noPayload}</pre>
      </details>
      {failure && <Failed failure={failure} />}
      <button type="button" className="button" disabled={isSending} onClick={() => send(again)}>
        {t.again}
      </button>
    </article>
  );
}
