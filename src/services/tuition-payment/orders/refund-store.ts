import type { Db } from "#platform/database/index.ts";
import type { OrderStatus } from "./rules.ts";

export interface RefundRow {
  readonly id: number;
  readonly refundNo: string;
  readonly amountFen: number;
  readonly reason: string;
  readonly requestedAt: Date;
  readonly isSurplus: boolean;
}

export interface NewRefund {
  readonly orderId: number;
  readonly refundNo: string;
  readonly amountFen: number;
  readonly reason: string;
  readonly isSurplus: boolean;
}

/** A second one that runs breaks refund_running. */
export async function insertRefund(tx: Db, refund: NewRefund): Promise<number> {
  const [row] = await tx<{ id: number }[]>`
    insert into tuition_payment.refund (order_id, refund_no, amount_fen, reason, is_surplus)
    values (${refund.orderId}, ${refund.refundNo}, ${refund.amountFen}, ${refund.reason}, ${refund.isSurplus})
    returning id`;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

/** The items are those of the refund: all that the order still has, or the named ones. */
export async function assignItems(
  tx: Db,
  orderId: number,
  refundId: number,
  items: readonly { readonly payableId: number; readonly name: string }[],
): Promise<void> {
  await tx`
    update tuition_payment.order_item as item set refund_id = ${refundId}
    from unnest(${items.map(({ payableId }) => payableId)}::bigint[], ${items.map(({ name }) => name)}::text[])
      as named (payable_id, name)
    where item.order_id = ${orderId} and item.payable_id = named.payable_id and item.name = named.name
      and item.refund_id is null`;
}

/** Everything in the order is the refund's. */
export async function assignAll(tx: Db, orderId: number, refundId: number): Promise<void> {
  await tx`update tuition_payment.order_item set refund_id = ${refundId} where order_id = ${orderId}`;
}

/** False: the order is in another state. */
export async function beginRefunding(tx: Db, orderId: number): Promise<boolean> {
  const rows = await tx`
    update tuition_payment.pay_order set status = 'refunding', asked = 0 where id = ${orderId} and status = 'paid'
    returning 1`;
  return rows.length === 1;
}

/** The refund that runs, for one process alone until the time is over; undefined: none runs, or another has it. */
export async function leaseRefund(tx: Db, orderId: number, seconds: number): Promise<RefundRow | undefined> {
  const [row] = await tx<RefundRow[]>`
    update tuition_payment.refund set leased_until = now() + make_interval(secs => ${seconds}::float8)
    where order_id = ${orderId} and done_at is null and (leased_until is null or leased_until < now())
    returning id, refund_no as "refundNo", amount_fen as "amountFen", reason, requested_at as "requestedAt",
      is_surplus as "isSurplus"`;
  return row;
}

/** It was not done yet; whoever comes next may ask again. */
export async function releaseRefund(tx: Db, refundId: number, failure: string | null): Promise<void> {
  await tx`update tuition_payment.refund set leased_until = null, failure = ${failure} where id = ${refundId}`;
}

export interface DoneRefund {
  readonly refundTradeNo: string | null;
  readonly doneAt: Date;
}

/** The refund of that number and amount, done now; undefined: there is none such, or it was done before. */
export async function markRefundDone(
  tx: Db,
  orderId: number,
  refundNo: string,
  amountFen: number,
  { refundTradeNo, doneAt }: DoneRefund,
): Promise<number | undefined> {
  const [row] = await tx<{ id: number }[]>`
    update tuition_payment.refund set done_at = ${doneAt}, trade_no = ${refundTradeNo}, leased_until = null, failure = null
    where order_id = ${orderId} and refund_no = ${refundNo} and amount_fen = ${amountFen} and done_at is null
    returning id`;
  return row?.id;
}

/** The refund's items are free, and the order is refunded, or paid while something of it is left; returns which. */
export async function endRefunding(
  tx: Db,
  orderId: number,
  refundId: number,
  amountFen: number,
  doneAt: Date,
): Promise<OrderStatus> {
  await tx`update tuition_payment.order_item set state = 'free' where refund_id = ${refundId}`;
  const [row] = await tx<{ status: OrderStatus }[]>`
    update tuition_payment.pay_order set refunded_fen = refunded_fen + ${amountFen}, refunded_at = ${doneAt},
      due_at = null, asked = 0, status = case when exists (
        select from tuition_payment.order_item where order_id = ${orderId} and state = 'paid') then 'paid' else 'refunded' end
    where id = ${orderId} and status = 'refunding' returning status`;
  if (!row) throw new Error("an order with a running refund is not refunding");
  return row.status;
}
