import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { formatFen, toFen } from "#shared/money.ts";
import { Link, paths } from "#public/tuition/route.tsx";
import { Nothing } from "#public/blocks/notice.tsx";
import { OrderStatus } from "#public/tuition/order-status.tsx";
import { OwnList } from "./own-list.tsx";
import { useTexts } from "./texts.ts";
import { useOwnPages } from "#public/tuition/own-list.tsx";

export function OrdersPage() {
  const t = useTexts();
  const empty = (
    <Nothing title={t.noOrders}>
      {t.noOrdersAbout} <Link to={paths.owed}>{t.toOwed}</Link>
    </Nothing>
  );
  return (
    <OwnList pages={useOwnPages(tuitionPayment.listOwnOrders)} empty={empty}>
      {(order) => (
        <li key={order.orderNo}>
          <OrderCard order={order} />
        </li>
      )}
    </OwnList>
  );
}

type Order = RecordOf<typeof tuitionPayment.listOwnOrders>;

export function OrderCard({
  order: { orderNo, status, amount, refundedAmount, payables, createTime },
}: {
  readonly order: Order;
}) {
  const t = useTexts();
  return (
    <Link to={paths.order(orderNo)} className="card tuition-order">
      <span className="tuition-ends">
        <OrderStatus status={status} />
        <strong>{formatFen(toFen(amount))}</strong>
      </span>
      {payables.map(({ payableId, years, items }) => (
        <span key={payableId}>
          {t.year(years)}: {items.map(({ name }) => name).join(t.between)}
        </span>
      ))}
      {refundedAmount > 0 && <span>{t.refundedOf(formatFen(toFen(refundedAmount)))}</span>}
      <span className="soft">
        {createTime} · {t.openOrder(orderNo)}
      </span>
    </Link>
  );
}
