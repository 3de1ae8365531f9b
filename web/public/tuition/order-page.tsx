import { useCallback, useEffect, useRef, useState } from "react";
import { useReading } from "#shared/call/use-reading.ts";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { formatFen, toFen } from "#shared/money.ts";
import { toChosen } from "#public/tuition/choice.ts";
import { LineList } from "#public/tuition/line-list.tsx";
import { go, Link, paths, takeNews } from "#public/tuition/route.tsx";
import { Nothing, Notice } from "#public/blocks/notice.tsx";
import { Receipt } from "#public/tuition/receipt.tsx";
import { ask } from "#public/tuition/student.ts";
import { useTexts } from "#public/tuition/texts.ts";
import { keepChoice } from "#public/tuition/owed.ts";
import { OrderStatus, tellStatus } from "#public/tuition/order-status.tsx";
import { PayCode, ShareLink, useKeptCode } from "#public/tuition/pay-code.tsx";
import { type Gateway, GatewayChoice, isUsable, ownOrder, payAt, useReturn } from "#public/tuition/paying.tsx";
import { SureButton } from "#public/tuition/sure-button.tsx";
import { useSending } from "#public/blocks/use-sending.ts";
import type { DataOf } from "#shared/call/operation.ts";

/** 10014: the order does not exist or is another student's; 10001: the number is invalid. */
const unknownCodes = new Set(["10014", "10001"]);

export function OrderPage({ orderNo }: { readonly orderNo: string }) {
  const t = useTexts();
  const [news] = useState(takeNews);
  const { data, failure, retry } = useReading(orderNo, (signal) =>
    ask(tuitionPayment.findOwnOrder, { params: { orderNo } }, { signal }),
  );
  return (
    <>
      {failure instanceof CallFailure && unknownCodes.has(failure.code) ? (
        <Nothing title={t.unknownOrder}>
          {t.unknownOrderAbout} <Link to={paths.orders}>{t.toOrders}</Link>
        </Nothing>
      ) : (
        <>
          {failure && <Failed failure={failure} retry={retry} />}
          {data ? (
            <Present order={data} news={data.status === "created" ? news : undefined} onChange={retry} />
          ) : (
            !failure && <Waiting />
          )}
        </>
      )}
    </>
  );
}

interface PresentProps {
  readonly order: Order;
  readonly news: string | undefined;
  readonly onChange: () => void;
}

function Present({ order, news, onChange }: PresentProps) {
  const t = useTexts();
  const confirming = useConfirming(order, onChange);
  const lines = <LineList lines={toChosen(order.payables)} total={t.total} />;
  return (
    <>
      <div className="stack tuition-screen">
        {news !== undefined && <Notice tone="bad" title={news} />}
        <section className="card stack" aria-live="polite">
          <OrderStatus status={order.status} />
          <strong className="tuition-big">{formatFen(toFen(order.amount))}</strong>
          <span>{tellStatus(order, t)}</span>
          {confirming.isAsking && <span role="status">{t.confirming}</span>}
          {confirming.hasFailed && <span role="alert">{t.confirmFailed}</span>}
        </section>
        <OrderActions order={order} onCheck={confirming.check} onChange={onChange} />
      </div>
      {order.status === "paid" || order.status === "refunding" ? (
        <Receipt orderNo={order.orderNo} otherwise={lines} />
      ) : (
        lines
      )}
      <Facts order={order} />
    </>
  );
}

function Facts({
  order: { orderNo, status, tradeNo, createTime, payTime, gateway, refunds },
}: {
  readonly order: Order;
}) {
  const t = useTexts();
  const own = [
    [t.orderNo, orderNo],
    [t.gateway, gateway && t.gateways[gateway]],
    [t.tradeNo, tradeNo],
    [t.payTime, payTime],
  ];
  const facts = [
    // A paid order's receipt shows these rows itself.
    ...(status === "paid" ? [] : own),
    [t.createTime, createTime],
    ...refunds.map(({ amount, status, time }) => [
      t.refunds,
      `${formatFen(toFen(amount))} · ${t.refundStatuses[status]} · ${time}`,
    ]),
  ];
  return (
    <dl className="card stack facts tuition-screen">
      {facts.map(([name, value]) => value && [<dt key={name}>{name}</dt>, <dd key={value}>{value}</dd>])}
    </dl>
  );
}

interface OrderActionsProps {
  readonly order: Order;
  readonly onCheck: () => void;
  readonly onChange: () => void;
}

function OrderActions({ order, onCheck, onChange }: OrderActionsProps) {
  const t = useTexts();
  const isOpen = order.status === "created" || order.status === "paying";
  if (isOpen) return <Open order={order} onCheck={onCheck} onChange={onChange} />;
  if (order.status !== "closed" && order.status !== "refunded") return null;
  const payAgain = () => {
    keepChoice(toChosen(order.payables));
    go(paths.pay);
  };
  return (
    <button type="button" className="button" data-kind="main" data-wide="" onClick={payAgain}>
      {t.payAgain}
    </button>
  );
}

function Open({ order, onCheck, onChange }: OrderActionsProps) {
  const t = useTexts();
  const { orderNo, status } = order;
  const { gateways, gateway, pick } = useGatewayOf(order);
  const { isSending, failure, send } = useSending();
  const code = useKeptCode(orderNo);
  /** After the failure 10007 the order is read again, since it may have been paid or closed meanwhile. */
  const act = (action: () => Promise<unknown>) =>
    send(async () => {
      try {
        await action();
      } catch (error) {
        if (error instanceof CallFailure && error.code === "10007") onChange();
        throw error;
      }
    });
  const pay = async (by: Gateway) => {
    code.show(await payAt(ownOrder(orderNo), by));
    onChange();
  };
  useReturn(gateways, (by, learn) => act(async () => learn().then(() => pay(by))));
  const cancel = async () => {
    await ask(tuitionPayment.closeOrder, { params: { orderNo } });
    onChange();
  };
  return (
    <>
      {status === "created" && gateways.length > 1 && (
        <GatewayChoice gateways={gateways} value={gateway?.gateway} onChange={pick} />
      )}
      {failure && <Notice tone="bad" title={failure.message} />}
      {code.text !== undefined && <PayCode text={code.text} onLook={onChange} />}
      <div className="stack">
        <button
          type="button"
          className="button"
          data-kind="main"
          data-wide=""
          disabled={gateway === undefined || isSending}
          onClick={() => gateway && act(() => pay(gateway))}
        >
          {t.goOn}
        </button>
        {status === "paying" && (
          <button type="button" className="button" onClick={onCheck}>
            {t.checkNow}
          </button>
        )}
        <SureButton
          label={t.cancel}
          sure={t.cancelSure}
          keep={t.keepOrder}
          isBusy={isSending}
          onSure={() => act(cancel)}
        />
        <ShareLink orderNo={orderNo} />
      </div>
    </>
  );
}

function useGatewayOf({ gateway: fixed }: Order) {
  const [picked, pick] = useState<Gateway["gateway"]>();
  const { data = [] } = useReading("gateways", (signal) => ask(tuitionPayment.listGateways, {}, { signal }));
  const usable = data.filter(isUsable);
  const only = usable.length === 1 ? usable[0] : undefined;
  const wanted = fixed ?? picked;
  const gateway = wanted === undefined ? only : usable.find((each) => each.gateway === wanted);
  return { gateways: data, gateway, pick };
}

interface Confirming {
  readonly isAsking: boolean;
  readonly hasFailed: boolean;
  readonly check: () => void;
}

const firstMs = 3000;
const mostTries = 6;

/**
 * Asks the gateway about a pending payment, up to six times with growing pauses, on request, and whenever the page
 * becomes visible. A hidden page does not ask.
 */
function useConfirming({ orderNo, status, gateway }: Order, onChange: () => void): Confirming {
  const [isAsking, setIsAsking] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const tries = useRef(0);
  const isOpen = status === "paying" && gateway !== null;
  const check = useCallback(async () => {
    if (gateway === null) return;
    setIsAsking(true);
    try {
      const order = await ask(tuitionPayment.queryOrder, { params: { gateway, orderNo } });
      setHasFailed(false);
      if (order.status !== status) onChange();
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setHasFailed(true);
    } finally {
      setIsAsking(false);
    }
  }, [gateway, orderNo, status, onChange]);
  useEffect(() => {
    if (!isOpen || isAsking || tries.current >= mostTries) return undefined;
    const timer = setTimeout(
      () => {
        if (document.hidden) return;
        tries.current += 1;
        void check();
      },
      firstMs * 2 ** tries.current,
    );
    return () => clearTimeout(timer);
  }, [isOpen, isAsking, check]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const look = () => document.hidden || void check();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [isOpen, check]);
  return { isAsking, hasFailed, check: () => void check() };
}

type Order = DataOf<typeof tuitionPayment.findOwnOrder>;
