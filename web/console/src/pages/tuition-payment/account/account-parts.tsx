import type { ReactNode } from "react";
import { Link } from "react-router";
import { joinWords } from "#console/blocks/format.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { type Account, type ItemSums, sumItemsOf } from "#console/pages/tuition-payment/account/account-items.ts";
import { useTexts } from "#console/pages/tuition-payment/account/texts.ts";
import { tellAmount } from "#console/pages/tuition-payment/adjustments/adjustment.ts";
import { useTexts as useAdjustmentTexts } from "#console/pages/tuition-payment/adjustments/texts.ts";
import { OrderStatus } from "#console/pages/tuition-payment/orders/order.tsx";
import { formatAmount, PaidState, Yuan } from "#console/pages/tuition-payment/payable.tsx";
import { useOrderTexts, useTexts as usePayableTexts } from "#console/pages/tuition-payment/texts.ts";
import { toYuan } from "#shared/money.ts";

interface PartProps<R extends object> {
  readonly title: string;
  readonly rows: readonly R[];
  readonly rowKey: (row: R) => string | number;
  readonly columns: readonly Column<R>[];
  readonly none: ReactNode;
}

function Part<R extends object>({ title, rows, rowKey, columns, none }: PartProps<R>) {
  return (
    <section aria-label={title} className="q-card q-tuition-part">
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p className="q-soft">{none}</p>
      ) : (
        <Records<R> density="small" rowKey={rowKey} rows={rows} columns={columns} empty={null} />
      )}
    </section>
  );
}

export function useItemColumns<R extends ItemSums>(): [name: Column<R>, ...amounts: Column<R>[]] {
  const t = useTexts();
  const money = (field: "charged" | "adjusted" | "paid" | "due", title: string): Column<R> => ({
    field,
    title,
    width: 130,
    align: "right",
    render: (row) => <Yuan amount={toYuan(row[`${field}Fen`])} />,
  });
  return [
    { field: "name", title: t.item, width: 130, wraps: true },
    money("charged", t.charged),
    money("adjusted", t.adjusted),
    money("paid", t.paidNet),
    money("due", t.due),
  ];
}

type Payable = Account["payables"][number];
type AccountItem = ItemSums & { readonly payable: Payable };

export function AccountItems({ payables }: Pick<Account, "payables">) {
  const t = useTexts();
  const [name, ...amounts] = useItemColumns<AccountItem>();
  const columns: Column<AccountItem>[] = [
    name,
    { field: "years", title: t.years, width: 100, render: ({ payable }) => payable.years },
    ...amounts,
    {
      field: "pay",
      title: t.state,
      width: 130,
      wraps: true,
      render: ({ payable: { dueDate }, dueFen, chargedFen }) => (
        <PaidState payable={{ dueDate, due: toYuan(dueFen), realPayAmount: toYuan(chargedFen) }} />
      ),
    },
    actionColumn(t.actions, 72, ({ name, payable: { id, years } }) => (
      <Link to={`/tuition-payment/payables?open=${id}`} aria-label={t.openPayable(name, years)}>
        {t.open}
      </Link>
    )),
  ];
  const rows = payables.flatMap((payable) => sumItemsOf(payable).map((item) => ({ ...item, payable })));
  const rowKey = ({ payable: { id }, name }: AccountItem) => `${id} ${name}`;
  return <Part title={t.payables} rows={rows} rowKey={rowKey} columns={columns} none={null} />;
}

type Adjustment = Account["payables"][number]["adjustments"][number];

export function AccountAdjustments({ payables }: Pick<Account, "payables">) {
  const t = useTexts();
  const a = useAdjustmentTexts();
  const columns: Column<Adjustment>[] = [
    { field: "kind", title: a.kind, width: 116, render: ({ kind }) => a.kinds[kind] },
    { field: "time", title: a.time, width: 165 },
    { field: "amount", title: a.amount, width: 150, align: "right", render: (row) => tellAmount(row, a) },
    {
      field: "items",
      title: a.items,
      width: 140,
      wraps: true,
      render: ({ items }) => joinWords(items.map(({ name }) => name)),
    },
    { field: "evidence", title: a.evidence, width: 170, wraps: true, render: (row) => row.evidence || a.noEvidence },
    { field: "by", title: a.by, width: 110 },
  ];
  const rows = payables.flatMap(({ adjustments }) => adjustments);
  return <Part title={t.adjustments} rows={rows} rowKey={({ id }) => id} columns={columns} none={t.noAdjustments} />;
}

type Order = Account["orders"][number];

export function AccountOrders({ orders }: Pick<Account, "orders">) {
  const t = useTexts();
  const o = useOrderTexts();
  const columns: Column<Order>[] = [
    { field: "orderNo", title: o.orderNo, width: 232 },
    { field: "createTime", title: o.createTime, width: 165 },
    { field: "status", title: o.status, width: 108, render: ({ status }) => <OrderStatus status={status} /> },
    { field: "amount", title: o.amount, width: 124, align: "right", render: ({ amount }) => formatAmount(amount) },
    {
      field: "refundedAmount",
      title: o.refundedAmount,
      width: 108,
      align: "right",
      render: ({ refundedAmount }) => (refundedAmount === 0 ? "" : formatAmount(refundedAmount)),
    },
    { field: "receiptNo", title: t.receipt, width: 130 },
    actionColumn(t.actions, 72, ({ orderNo }) => (
      <Link to={`/tuition-payment/orders?open=${orderNo}`} aria-label={t.openOrder(orderNo)}>
        {t.open}
      </Link>
    )),
  ];
  return <Part title={t.orders} rows={orders} rowKey={({ orderNo }) => orderNo} columns={columns} none={t.noOrders} />;
}

type Feedback = Account["feedback"][number];

export function AccountFeedback({ feedback }: Pick<Account, "feedback">) {
  const t = useTexts();
  const p = usePayableTexts();
  const columns: Column<Feedback>[] = [
    { field: "feedbackInfo", title: t.said, width: 300, wraps: true },
    { field: "publishTime", title: p.publishTime, width: 165 },
    {
      field: "reply",
      title: t.reply,
      width: 300,
      wraps: true,
      render: ({ reply }) => reply ?? <span className="q-soft">{t.noReply}</span>,
    },
    actionColumn(t.actions, 72, ({ id, publishTime }) => (
      <Link to={`/tuition-payment/feedback?status=all&open=${id}`} aria-label={t.openFeedback(publishTime)}>
        {t.open}
      </Link>
    )),
  ];
  return <Part title={t.feedback} rows={feedback} rowKey={({ id }) => id} columns={columns} none={t.noFeedback} />;
}
