import { Button } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { formatAmount } from "#console/pages/tuition-payment/payable.ts";
import { everyMs, isUnderWay, type OrderDetail, OrderStatus } from "#console/pages/tuition-payment/orders/order.tsx";
import { MismatchNote, ReturnDrawer } from "#console/pages/tuition-payment/orders/mismatch-note.tsx";
import { OrderEvents, OrderRecords, useOrderHistory } from "#console/pages/tuition-payment/orders/order-history.tsx";
import { OrderItems, OrderRefunds } from "#console/pages/tuition-payment/orders/order-items.tsx";
import { ReceiptDrawer } from "#console/pages/tuition-payment/orders/receipt-drawer.tsx";
import { RefundDrawer } from "#console/pages/tuition-payment/orders/refund-drawer.tsx";
import { type OrderTexts, texts } from "#console/pages/tuition-payment/orders/texts.ts";
import { useMay } from "#console/session/session.ts";
import "#console/pages/tuition-payment/orders/orders.css";
import "#console/pages/tuition-payment/tuition.css";

/** One order with all that happened to it, and what can be done with it. */
export function OrderDrawer({ orderNo, onClose }: { readonly orderNo: string; readonly onClose: () => void }) {
  const t = useTexts(texts);
  const may = useMay();
  const [beside, setBeside] = useState<"refund" | "return" | "receipt">();
  const {
    data: order,
    error,
    refetch,
  } = useRead(
    tuitionPayment.findOrder,
    { params: { orderNo } },
    { everyMs: (last) => (last && isUnderWay(last.status) ? everyMs : undefined) },
  );
  const { data: history } = useOrderHistory(orderNo, order);
  const received = history?.receivedAmount ?? undefined;
  const isMismatched = received !== undefined && (order?.status === "paying" || order?.status === "closed");
  const close = () => setBeside(undefined);
  // In place of the order, and not over it: whatever is open is printed.
  if (beside === "receipt") return <ReceiptDrawer orderNo={orderNo} onClose={close} />;
  return (
    <>
      <DetailDrawer
        title={order ? t.order(order.studentName) : t.orders}
        details={error ? [] : order && describe(order, t)}
        width={820}
        audited={{ service: "tuition-payment", record: orderNo }}
        onClose={onClose}
        actions={
          order && (
            <>
              {order.status === "refunding" && <span className="q-soft">{t.refundRunning}</span>}
              {hasReceipt(order) && <Button onClick={() => setBeside("receipt")}>{t.receipt}</Button>}
              {order.status === "paid" && may(tuitionPayment.refundOrder) && (
                <Button danger onClick={() => setBeside("refund")}>
                  {t.refund}
                </Button>
              )}
            </>
          )
        }
      >
        {error && <Failure failure={error} onRetry={refetch} />}
        {order && isMismatched && (
          <MismatchNote order={order} received={received} onReturn={() => setBeside("return")} />
        )}
        {order && <OrderItems order={order} />}
        {order && order.refunds.length > 0 && <OrderRefunds refunds={order.refunds} words={history?.refunds} />}
        {order && <OrderEvents events={order.events} />}
        {order && <OrderRecords order={order} />}
      </DetailDrawer>
      {beside === "return" && received !== undefined && (
        <ReturnDrawer orderNo={orderNo} received={received} onClose={close} />
      )}
      {beside === "refund" && order && <RefundDrawer order={order} onClose={close} />}
    </>
  );
}

const hasReceipt = ({ status }: OrderDetail): boolean => status === "paid" || status === "refunding";

const describe = (order: OrderDetail, t: OrderTexts) => [
  { label: t.orderNo, value: <CopyText text={order.orderNo} label={t.orderNo} />, wide: true },
  { label: t.status, value: <OrderStatus status={order.status} /> },
  { label: t.gateway, value: order.gateway === null ? t.notChosen : t.gateways[order.gateway] },
  { label: t.studentName, value: order.studentName },
  { label: t.studentNo, value: <Student order={order} t={t} /> },
  { label: t.grade, value: order.grade },
  { label: t.tradeNo, value: order.tradeNo },
  { label: t.amount, value: <span className="q-figures">{formatAmount(order.amount)}</span> },
  { label: t.refundedAmount, value: <span className="q-figures">{formatAmount(order.refundedAmount)}</span> },
  { label: t.createTime, value: order.createTime },
  { label: t.expireTime, value: order.expireTime },
  { label: t.payTime, value: order.payTime },
  order.closeTime === null
    ? { label: t.refundTime, value: order.refundTime }
    : { label: t.closeTime, value: order.closeTime },
];

/** Leads to what the student has to pay. */
function Student({ order: { studentNo }, t }: { readonly order: OrderDetail; readonly t: OrderTexts }) {
  if (studentNo === null) return t.noNumber;
  return (
    <Link to={`/tuition-payment/payables?keyword=${encodeURIComponent(studentNo)}`} title={t.seePayables}>
      {studentNo}
    </Link>
  );
}
