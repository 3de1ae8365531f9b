import { useState } from "react";
import { pushRelay } from "#shared/api/push-relay.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { useRead } from "#console/call/use-call.ts";
import type { DataOf } from "#shared/call/operation.ts";
import type { Delivery } from "#console/pages/push-relay/delivery.tsx";
import { Source, toLines, toShown } from "#console/pages/push-relay/source.tsx";
import { useTexts } from "#console/pages/push-relay/texts.ts";

type Compared = Pick<Delivery, "id" | "projectId" | "event" | "subject">;
type Exchanges = DataOf<typeof pushRelay.findExchanges>;

/** The API's largest page, which is expected to contain all deliveries for one subject. */
const mostLater = 1000;

export function DeliveryComparison({
  delivery,
}: {
  readonly delivery: Compared & { readonly subject: string | null };
}) {
  const t = useTexts();
  const [isOpen, setOpen] = useState(false);
  if (delivery.subject === null) return null;
  return (
    <details className="q-push-exchange q-push-part" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t.compare}</summary>
      {isOpen && <Before delivery={delivery} subject={delivery.subject} />}
    </details>
  );
}

// A person and an organisation may have the same number, so only events of the same kind are compared.
const kindOf = (event: string): string => event.replace(/^[a-z]+/, "");

function Before({ delivery, subject }: { readonly delivery: Compared; readonly subject: string }) {
  const t = useTexts();
  const { id, projectId, event } = delivery;
  const query = { curPage: 1, pageSize: mostLater, projectId, subject };
  const { data, error, refetch } = useRead(pushRelay.listDeliveries, { query });
  if (error) return <Failure failure={error} onRetry={refetch} />;
  const before = data?.list.find((one) => one.id < id && kindOf(one.event) === kindOf(event));
  if (!data) return null;
  return before ? <Pair before={before.id} id={id} /> : <p className="q-soft">{t.compareNone}</p>;
}

function Pair({ before, id }: { readonly before: number; readonly id: number }) {
  const t = useTexts();
  const one = useRead(pushRelay.findExchanges, { params: { id: before } });
  const other = useRead(pushRelay.findExchanges, { params: { id } });
  const failed = one.error ? one : other;
  if (failed.error) return <Failure failure={failed.error} onRetry={failed.refetch} />;
  if (!one.data || !other.data) return null;
  const [left, right] = [toTexts(one.data), toTexts(other.data)];
  return (
    <>
      <p className="q-soft">{t.compareAbout}</p>
      <div className="q-push-compare">
        <Side name={t.compareBefore(before)} texts={left} beside={right} />
        <Side name={t.compareThis(id)} texts={right} beside={left} />
      </div>
    </>
  );
}

const parts = ["requestBody", "requestHeaders", "responseHeaders", "responseBody"] as const;
type Texts = Readonly<Record<(typeof parts)[number], string | undefined>>;

function toTexts({ method, body, attempts }: Exchanges): Texts {
  const { url, headers, response } = attempts.at(-1) ?? {};
  return {
    requestBody: toShown(body),
    requestHeaders: headers && `${method} ${url}\n${toLines(headers)}`,
    responseHeaders: response ? toLines(response.headers) : undefined,
    responseBody: response ? toShown(response.body) : undefined,
  };
}

function Side({ name, texts, beside }: { readonly name: string; readonly texts: Texts; readonly beside: Texts }) {
  const t = useTexts();
  return (
    <section aria-label={name}>
      <h4>{name}</h4>
      {parts.map((part) => (
        <div key={part}>
          <p className="q-soft">{t[part]}</p>
          {texts[part] ? (
            <Source name={t[part]} text={texts[part]} beside={beside[part]} />
          ) : (
            <p>{texts[part] === "" ? t.responseEmpty : part === "requestHeaders" ? t.noAttemptYet : t.noResponse}</p>
          )}
        </div>
      ))}
    </section>
  );
}
