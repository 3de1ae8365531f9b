import { useState } from "react";
import { useReading } from "#shared/call/use-reading.ts";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#shared/language/language.ts";
import { formatFen, toFen } from "#shared/money.ts";
import { toChosen } from "./choice.ts";
import { LineList } from "./line-list.tsx";
import { Link } from "./link.tsx";
import { Notice, Nothing } from "./notice.tsx";
import { OrderActions } from "./order-actions.tsx";
import { type Order, OrderStatus } from "./order-status.tsx";
import { Receipt } from "./receipt.tsx";
import { paths, takeNews } from "./route.ts";
import { ask } from "./student.ts";
import { texts, type TuitionTexts } from "./texts.ts";
import { useConfirming } from "./use-confirming.ts";

/** No order, another student's, or no number of one. */
const unknownCodes = new Set(["10014", "10001"]);

/** One order: how it stands, what can be done about it, and its receipt once it is paid. */
export function OrderPage({ orderNo }: { readonly orderNo: string }) {
  const t = useTexts(texts);
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
      ) : failure && !data ? (
        <Failed failure={failure} retry={retry} />
      ) : data ? (
        <Present order={data} news={data.status === "created" ? news : undefined} onChange={retry} />
      ) : (
        <Waiting />
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
  const t = useTexts(texts);
  const confirming = useConfirming(order, onChange);
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
      {order.status === "paid" ? (
        <Receipt orderNo={order.orderNo} />
      ) : (
        <LineList lines={toChosen(order.payables)} total={t.total} />
      )}
      <Facts order={order} />
    </>
  );
}

function tellStatus(
  { status, expireTime, payTime, closeTime, refundTime }: Order,
  { statusAbout: about }: TuitionTexts,
): string {
  if (status === "created" || status === "paying") return about[status](expireTime);
  if (status === "paid") return about.paid(payTime ?? "");
  if (status === "closed") return about.closed(closeTime ?? "");
  return status === "refunded" ? about.refunded(refundTime ?? "") : about.refunding();
}

function Facts({
  order: { orderNo, status, tradeNo, createTime, payTime, gateway, refunds },
}: {
  readonly order: Order;
}) {
  const t = useTexts(texts);
  const own = [
    [t.orderNo, orderNo],
    [t.gateway, gateway && t.gateways[gateway]],
    [t.tradeNo, tradeNo],
    [t.payTime, payTime],
  ];
  const facts = [
    // A receipt has them already.
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
