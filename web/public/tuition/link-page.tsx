import { useState } from "react";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { call } from "#shared/call/exchange.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useReading } from "#shared/call/use-reading.ts";
import { formatFen, toFen } from "#shared/money.ts";
import { toChosen } from "./choice.ts";
import { openKept } from "./kept.ts";
import { LineList } from "./line-list.tsx";
import { Nothing, Notice } from "#public/blocks/notice.tsx";
import { OrderStatus, tellStatus } from "./order-status.tsx";
import { PayCode, useKeptCode, useLooking } from "./pay-code.tsx";
import { type Gateway, GatewayChoice, isUsable, payAt, type PayTarget, useReturn } from "./paying.tsx";
import { paths } from "./route.tsx";
import { useTexts } from "./texts.ts";
import { useSending } from "#public/blocks/use-sending.ts";

// A payment link carries its secret in the fragment, which browsers never send to a server.

const kept = openKept<string>("token");

function readToken(): string | undefined {
  if (location.hash.length > 1) kept.set(location.hash.slice(1));
  return kept.get();
}

// Another link that is opened in the same tab changes only the fragment, for which a browser loads no page.
window.addEventListener("hashchange", () => location.reload());

type Linked = DataOf<typeof tuitionPayment.readLinkedOrder>;

export function LinkPage() {
  const t = useTexts();
  const [token = ""] = useState(readToken);
  const { data, failure, retry } = useReading(token, () => call(tuitionPayment.readLinkedOrder, { body: { token } }));
  const isUnknown = failure instanceof CallFailure && (failure.code === "10014" || failure.code === "10001");
  if (token === "" || isUnknown) return <Nothing title={t.unknownLink}>{t.unknownLinkAbout}</Nothing>;
  if (failure && !data) return <Failed failure={failure} retry={retry} />;
  return data ? <Present order={data} token={token} onLook={retry} /> : <Waiting />;
}

interface PresentProps {
  readonly order: Linked;
  readonly token: string;
  readonly onLook: () => void;
}

function Present({ order, token, onLook }: PresentProps) {
  const t = useTexts();
  const isOpen = order.status === "created" || order.status === "paying";
  useLooking(order.status === "paying", onLook);
  return (
    <>
      <section className="card stack" aria-live="polite">
        <OrderStatus status={order.status} />
        <strong className="tuition-big">{formatFen(toFen(order.amount))}</strong>
        <span>{t.payFor(order.studentName)}</span>
        <span>{tellStatus(order, t)}</span>
      </section>
      {isOpen && <Pay order={order} token={token} onLook={onLook} />}
      <LineList lines={toChosen(order.payables)} total={t.total} />
      <dl className="card stack facts">
        <dt>{t.orderNo}</dt>
        <dd>{order.orderNo}</dd>
      </dl>
    </>
  );
}

const toTarget = (token: string): PayTarget => ({
  path: paths.link,
  begin: (wish) => call(tuitionPayment.payLinkedOrder, { body: { ...wish, token } }),
});

function Pay({ order, token, onLook }: PresentProps) {
  const t = useTexts();
  const { orderNo, gateways, gateway: fixed } = order;
  const offered = fixed === null ? gateways : gateways.filter(({ gateway }) => gateway === fixed);
  const usable = offered.filter(isUsable);
  const [picked, setPicked] = useState<Gateway["gateway"]>();
  const gateway = usable.find((each) => each.gateway === picked) ?? (usable.length === 1 ? usable[0] : undefined);
  const { isSending, failure, send } = useSending();
  const { text, show } = useKeptCode(orderNo);
  const pay = (by: Gateway, learn?: () => Promise<void>) =>
    send(async () => {
      try {
        await learn?.();
        show(await payAt(toTarget(token), by));
      } finally {
        // After a refusal too, since the order may have been paid or closed meanwhile.
        onLook();
      }
    });
  useReturn(gateways, pay);
  return (
    <>
      <GatewayChoice gateways={offered} value={gateway?.gateway} onChange={setPicked} />
      {failure && <Notice tone="bad" title={failure.message} />}
      {text !== undefined && <PayCode text={text} onLook={onLook} />}
      <button
        type="button"
        className="button"
        data-kind="main"
        data-wide=""
        disabled={gateway === undefined || isSending}
        onClick={() => gateway && pay(gateway)}
      >
        {t.pay(formatFen(toFen(order.amount)))}
      </button>
    </>
  );
}
