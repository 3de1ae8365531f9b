import { Alert, Descriptions, Skeleton } from "antd";
import { type ReactNode, useState } from "react";
import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { KeyButton } from "#console/blocks/queue/key-button.tsx";
import type { QueueControls } from "#console/blocks/queue/queue.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { Adjustments } from "#console/pages/tuition-payment/adjustments/adjustments.tsx";
import { CaseStatement } from "#console/pages/tuition-payment/desk/case-statement.tsx";
import { DecideForm } from "#console/pages/tuition-payment/desk/decide-form.tsx";
import {
  adviceOf,
  type Decision,
  type DeskRow,
  isDifference,
  isRefund,
  letterOf,
  showMoney,
  toStep,
} from "#console/pages/tuition-payment/desk/desk-row.ts";
import { type DeskTexts, useTexts } from "#console/pages/tuition-payment/desk/texts.ts";
import { type OrderDetail, OrderStatus } from "#console/pages/tuition-payment/orders/order.tsx";
import {
  type History,
  OrderEvents,
  OrderItems,
  OrderRecords,
  OrderRefunds,
  type RefundWords,
  useOrderHistory,
} from "#console/pages/tuition-payment/orders/order-history.tsx";
import { formatAmount } from "#console/pages/tuition-payment/payable.tsx";
import { useOrderTexts } from "#console/pages/tuition-payment/texts.ts";
import { useMay, useSession } from "#console/session/session.ts";

interface DeskCaseProps {
  readonly row: DeskRow;
  readonly controls: QueueControls;
}

export function DeskCase({ row, controls }: DeskCaseProps) {
  const t = useTexts();
  const { gateways } = useOrderTexts();
  const [step, choose] = useState<Decision>();
  const { orderNo, refundNo } = row;
  const { data: order, error, refetch, isPending } = useRead(tuitionPayment.findOrder, { params: { orderNo } });
  const { data: history } = useOrderHistory(orderNo, order);
  const refund = history?.refunds.find((one) => one.refundNo === refundNo);
  const isUnknown = error?.code === "10014";
  const giveUp = () => {
    choose(undefined);
    controls.focus();
  };
  return (
    <section className="q-desk-case" aria-label={t.caseName}>
      <h2>{t.kinds[row.kind]}</h2>
      <p className="q-soft">{t.advice[adviceOf(row)]}</p>
      {step === undefined ? (
        <div className="q-buttons">
          <Steps row={row} refund={refund} onChoose={choose} />
          {controls.steps}
        </div>
      ) : (
        <DecideForm row={row} step={step} order={order} onDone={controls.goOn} onGivenUp={giveUp} />
      )}
      <div className="q-desk-sides">
        <Facts title={t.money} facts={describeMoney(row, refund, gateways[row.gateway], t)} />
        {order && <OrderFacts order={order} />}
        {isUnknown && <p className="q-soft">{t.unknownOrder(orderNo)}</p>}
      </div>
      {error && !isUnknown && <Failure failure={error} onRetry={refetch} />}
      {isPending && <Skeleton active />}
      <CaseStatement orderNo={orderNo} />
      {order && <OrderSides order={order} history={history} />}
    </section>
  );
}

interface StepsProps {
  readonly row: DeskRow;
  readonly refund: RefundWords | undefined;
  readonly onChoose: (step: Decision) => void;
}

function Steps({ row, refund, onChoose }: StepsProps) {
  const t = useTexts();
  const may = useMay();
  const isOwn = useSession()?.userName === refund?.by;
  const ask = useChange(tuitionPayment.askOrder, { done: t.asked });
  const mayDecide = may(tuitionPayment.actAtDesk);
  const mayNote = mayDecide || (isDifference(row) && may(tuitionPayment.handleReconciliation));
  const mayTake = { ask: may(tuitionPayment.askOrder), note: mayNote };
  if (row.kind === "refundAsked" && isOwn && !row.handled) return <Alert type="info" showIcon title={t.ownRefund} />;
  const steps = row.actions
    .filter((action) => (action === "ask" || action === "note" ? mayTake[action] : mayDecide))
    .map((action) => toStep(row, action));
  return (
    <>
      {steps.map((step, index) => (
        <KeyButton
          key={step}
          letter={letterOf[step]}
          type={index === 0 ? "primary" : "default"}
          loading={step === "ask" && ask.isPending}
          onClick={() => (step === "ask" ? ask.mutate({ params: { orderNo: row.orderNo } }) : onChoose(step))}
        >
          {t.actions[step]}
        </KeyButton>
      ))}
      {!row.handled && !mayNote && <span className="q-soft">{t.bySuper}</span>}
      {mayDecide && isBusy(row) && <span className="q-soft">{t.busy}</span>}
    </>
  );
}

function isBusy({ kind, actions, handled }: DeskRow): boolean {
  if (handled) return false;
  if (kind === "late" || kind === "otherAmount") return !actions.includes("refund");
  return kind === "refundFailed" && !actions.includes("again");
}

interface Fact {
  readonly label: string;
  readonly value: ReactNode;
}

function Facts({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) {
  return (
    <Descriptions
      bordered
      size="small"
      column={1}
      title={title}
      items={facts
        .filter(({ value }) => value !== null && value !== undefined && value !== "")
        .map(({ label, value }, key) => ({ key, label, children: <div className="q-value">{value}</div> }))}
    />
  );
}

function describeMoney(row: DeskRow, refund: RefundWords | undefined, gateway: string, t: DeskTexts): Fact[] {
  const money = (yuan: number | null) =>
    yuan === null ? <span className="q-soft">{t.none}</span> : <strong className="q-figures">{showMoney(yuan)}</strong>;
  const amounts = isRefund(row)
    ? [{ label: t.amounts.refund, value: money(row.amount) }]
    : [
        { label: t.amounts.order, value: money(row.amount) },
        { label: isDifference(row) ? t.amounts.statement : t.amounts.received, value: money(row.theirAmount) },
      ];
  return [
    ...amounts,
    { label: t.gateway, value: gateway },
    { label: t.since, value: row.time },
    { label: t.refundNo, value: row.refundNo },
    ...(isRefund(row) && refund
      ? [
          { label: t.askedBy, value: refund.by ?? t.byRule },
          { label: t.failure, value: refund.failure },
        ]
      : []),
    ...(row.handled
      ? [
          { label: t.note, value: row.note },
          { label: t.by, value: row.by ?? t.bySystem },
        ]
      : []),
  ];
}

function OrderFacts({ order }: { readonly order: OrderDetail }) {
  const t = useTexts();
  const o = useOrderTexts();
  return (
    <Facts
      title={t.order}
      facts={[
        {
          label: o.orderNo,
          value: (
            <Link to={`/tuition-payment/orders?open=${order.orderNo}`} aria-label={t.openOrder(order.orderNo)}>
              {order.orderNo}
            </Link>
          ),
        },
        { label: o.status, value: <OrderStatus status={order.status} /> },
        { label: o.studentName, value: t.who(order.studentName, order.studentNo ?? o.noNumber) },
        { label: o.amount, value: <span className="q-figures">{formatAmount(order.amount)}</span> },
        { label: o.tradeNo, value: order.tradeNo },
        { label: o.payTime, value: order.payTime },
        { label: o.closeTime, value: order.closeTime },
      ]}
    />
  );
}

function OrderSides({ order, history }: { readonly order: OrderDetail; readonly history: History | undefined }) {
  const payables = new Map(order.payables.map(({ payableId, years }) => [payableId, years]));
  return (
    <>
      <OrderItems order={order} />
      <div className="q-desk-sides">
        <div>
          <OrderEvents events={order.events} />
        </div>
        <div>
          {order.refunds.length > 0 && <OrderRefunds isReadOnly order={order} words={history?.refunds} />}
          {[...payables].map(([payableId, years]) => (
            <Adjustments key={payableId} payableId={payableId} years={years} />
          ))}
        </div>
      </div>
      <OrderRecords order={order} />
    </>
  );
}
