import { Alert, Button } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { ButtonLink, IfMay } from "#console/blocks/buttons.tsx";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { formatAmount } from "#console/pages/tuition-payment/payable.tsx";
import {
  everyMs,
  isUnderWay,
  type OrderDetail,
  OrderStatus,
  withoutRefunds,
} from "#console/pages/tuition-payment/orders/order.tsx";
import {
  OrderEvents,
  OrderItems,
  OrderRecords,
  OrderRefunds,
  useOrderHistory,
} from "#console/pages/tuition-payment/orders/order-history.tsx";
import { RefundDrawer } from "#console/pages/tuition-payment/orders/refund-drawer.tsx";
import { type OrderTexts, useOrderTexts as useTexts } from "#console/pages/tuition-payment/texts.ts";
import { useMay } from "#console/session/session.ts";
import { pictureOf } from "#shared/institution.ts";
import { formatFen, toFen } from "#shared/money.ts";
import type { DataOf } from "#shared/call/operation.ts";
import "#console/pages/tuition-payment/tuition.css";

export function OrderDrawer({ orderNo, onClose }: { readonly orderNo: string; readonly onClose: () => void }) {
  const t = useTexts();
  const may = useMay();
  const [beside, setBeside] = useState<"refund" | "receipt">();
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
  // The receipt replaces the order instead of covering it, since every open drawer is printed.
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
              <AskButton order={order} />
              {order.status === "refunding" && <span className="q-soft">{t.refundRunning}</span>}
              {hasReceipt(order) && <Button onClick={() => setBeside("receipt")}>{t.receipt}</Button>}
              {isRefundable(order) && may(tuitionPayment.refundOrder) && (
                <Button danger onClick={() => setBeside("refund")}>
                  {t.refund}
                </Button>
              )}
            </>
          )
        }
      >
        {error && <Failure failure={error} onRetry={refetch} />}
        {order && isMismatched && <MismatchNote order={order} received={received} />}
        {order && <OrderItems order={order} />}
        {order && order.refunds.length > 0 && <OrderRefunds order={order} words={history?.refunds} />}
        {order && <OrderEvents events={order.events} />}
        {order && <OrderRecords order={order} />}
      </DetailDrawer>
      {beside === "refund" && order && <RefundDrawer order={order} onClose={close} />}
    </>
  );
}

function AskButton({ order: { orderNo, status, gateway } }: { readonly order: OrderDetail }) {
  const t = useTexts();
  const ask = useChange(tuitionPayment.askOrder, { done: t.asked });
  if (gateway === null || status === "paid" || status === "refunded") return null;
  return (
    <IfMay operation={tuitionPayment.askOrder}>
      <Button loading={ask.isPending} onClick={() => ask.mutate({ params: { orderNo } })}>
        {t.ask}
      </Button>
    </IfMay>
  );
}

/** An order can have one refund at a time, including one that awaits approval. */
const isRefundable = ({ status, refunds }: OrderDetail): boolean =>
  status === "paid" && !refunds.some((refund) => refund.status === "asked");

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

function Student({ order: { studentNo, payables }, t }: { readonly order: OrderDetail; readonly t: OrderTexts }) {
  return (
    <Link to={`/tuition-payment/accounts/${payables[0]?.payableId}`} title={t.seeAccount}>
      {studentNo ?? t.noNumber}
    </Link>
  );
}

interface MismatchNoteProps {
  readonly order: OrderDetail;
  readonly received: number;
}

function MismatchNote({ order: { amount }, received }: MismatchNoteProps) {
  const t = useTexts();
  const came = formatFen(toFen(received));
  const isLate = received === amount;
  return (
    <Alert
      showIcon
      type="warning"
      className="q-tuition-part"
      title={isLate ? t.afterDecision(came) : t.mismatch(came, formatFen(toFen(amount)))}
      action={
        <ButtonLink size="small" to={`/tuition-payment/desk?kind=${isLate ? "late" : "otherAmount"}`}>
          {t.toDesk}
        </ButtonLink>
      }
    />
  );
}

type Receipt = DataOf<typeof tuitionPayment.readReceipt>;

function ReceiptDrawer({ orderNo, onClose }: { readonly orderNo: string; readonly onClose: () => void }) {
  const t = useTexts();
  const { data: receipt, error, refetch } = useRead(tuitionPayment.readReceipt, { params: { orderNo } });
  return (
    <DetailDrawer
      title={t.receiptTitle}
      details={error ? [] : receipt && describeReceipt(receipt, t)}
      width={720}
      onClose={onClose}
    >
      {error && <Failure failure={error} onRetry={refetch} />}
      {receipt && <OrderItems order={withoutRefunds(receipt)} />}
      {receipt?.seal !== undefined && <img className="q-receipt-seal" src={pictureOf(receipt.seal)} alt={t.seal} />}
    </DetailDrawer>
  );
}

function describeReceipt(receipt: Receipt, t: OrderTexts) {
  const [all, back] = [toFen(receipt.amount), toFen(receipt.refundedAmount)];
  return [
    { label: t.receiptNo, value: receipt.receiptNo },
    { label: t.payTime, value: receipt.payTime },
    ...(receipt.payee === undefined ? [] : [{ label: t.payee, value: receipt.payee, wide: true }]),
    { label: t.payer, value: receipt.studentName },
    { label: t.studentNo, value: receipt.studentNo ?? t.noNumber },
    { label: t.grade, value: receipt.grade },
    { label: t.receivedBy, value: receipt.gateway === null ? null : t.gateways[receipt.gateway] },
    { label: t.orderNo, value: receipt.orderNo, wide: true },
    { label: t.tradeNo, value: receipt.tradeNo, wide: true },
    {
      label: t.received,
      wide: true,
      value: (
        <>
          <strong className="q-figures">{formatFen(all - back)}</strong>
          {back > 0 && <div className="q-soft">{t.lessRefunds(formatFen(back))}</div>}
        </>
      ),
    },
    { label: t.inWords, value: receipt.amountInWords, wide: true },
  ];
}
