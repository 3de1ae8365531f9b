import { Alert, Button } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { formatAmount } from "#console/pages/tuition-payment/payable.tsx";
import { everyMs, isUnderWay, type OrderDetail, OrderStatus } from "#console/pages/tuition-payment/orders/order.tsx";
import {
  OrderEvents,
  OrderItems,
  OrderRecords,
  OrderRefunds,
  useOrderHistory,
} from "#console/pages/tuition-payment/orders/order-history.tsx";
import { RefundDrawer } from "#console/pages/tuition-payment/orders/refund-drawer.tsx";
import { type OrderTexts, orderTexts as texts } from "#console/pages/tuition-payment/texts.ts";
import { useMay } from "#console/session/session.ts";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { formatFen, toFen } from "#shared/money.ts";
import type { DataOf } from "#shared/call/operation.ts";
import "#console/pages/tuition-payment/orders/orders.css";
import "#console/pages/tuition-payment/tuition.css";

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

function Student({ order: { studentNo }, t }: { readonly order: OrderDetail; readonly t: OrderTexts }) {
  if (studentNo === null) return t.noNumber;
  return (
    <Link to={`/tuition-payment/payables?keyword=${encodeURIComponent(studentNo)}`} title={t.seePayables}>
      {studentNo}
    </Link>
  );
}

interface MismatchNoteProps {
  readonly order: OrderDetail;
  /** In yuan. */
  readonly received: number;
  readonly onReturn: () => void;
}

function MismatchNote({ order: { amount }, received, onReturn }: MismatchNoteProps) {
  const t = useTexts(texts);
  const may = useMay()(tuitionPayment.giveBackOrder);
  const came = formatFen(toFen(received));
  const [title, about] =
    received === amount
      ? [t.afterDecision(came), t.afterDecisionAbout]
      : [t.mismatch(came, formatFen(toFen(amount))), t.mismatchAbout];
  return (
    <Alert
      showIcon
      type="warning"
      className="q-tuition-part"
      title={title}
      description={may ? about : `${about} ${t.giveBackBySuper}`}
      action={
        may && (
          <Button danger size="small" onClick={onReturn}>
            {t.giveBack}
          </Button>
        )
      }
    />
  );
}

interface ReturnDrawerProps {
  readonly orderNo: string;
  /** In yuan, as it was when the order was read. */
  readonly received: number;
  readonly onClose: () => void;
}

function ReturnDrawer({ orderNo, received, onClose }: ReturnDrawerProps) {
  const t = useTexts(texts);
  const giveBack = useChange(tuitionPayment.giveBackOrder, { done: t.giveBackAsked, quiet: true });
  return (
    <FormDrawer<{ readonly reason: string }>
      title={t.giveBackTitle(orderNo)}
      needs={tuitionPayment.giveBackOrder}
      fields={[{ kind: "multiline", name: "reason", label: t.reason, required: true, max: 200, help: t.reasonHelp }]}
      onSave={({ reason }) => giveBack.mutateAsync({ params: { orderNo }, body: { reason } })}
      onClose={onClose}
      saveText={t.giveBackAmount(formatFen(toFen(received)))}
    >
      <p className="q-soft">{t.giveBackAbout}</p>
    </FormDrawer>
  );
}

type Receipt = DataOf<typeof tuitionPayment.readReceipt>;

function ReceiptDrawer({ orderNo, onClose }: { readonly orderNo: string; readonly onClose: () => void }) {
  const t = useTexts(texts);
  const { data: receipt, error, refetch } = useRead(tuitionPayment.readReceipt, { params: { orderNo } });
  return (
    <DetailDrawer
      title={t.receiptTitle}
      details={error ? [] : receipt && describeReceipt(receipt, t)}
      width={720}
      onClose={onClose}
    >
      {error && <Failure failure={error} onRetry={refetch} />}
      {receipt && <OrderItems order={receipt} />}
    </DetailDrawer>
  );
}

function describeReceipt(receipt: Receipt, t: OrderTexts) {
  const [all, back] = [toFen(receipt.amount), toFen(receipt.refundedAmount)];
  return [
    { label: t.receiptNo, value: receipt.receiptNo },
    { label: t.payTime, value: receipt.payTime },
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
