import { type Db, sql } from "#platform/database/index.ts";
import type { Refunded } from "#services/tuition-payment/gateways/gateway.ts";

/** Stores a refund, whose the items are from now on. A second one that runs breaks refund_running. */
export async function insertRefund(
  tx: Db,
  refund: {
    orderId: number;
    refundNo: string;
    amountFen: number;
    reason: string;
    isSurplus: boolean;
    /** Left out: everything in the order. */
    items?: readonly { payableId: number; name: string }[];
  },
): Promise<number> {
  const { orderId, items } = refund;
  const named = items
    ? sql`and refund_id is null and (payable_id, name) in (select * from unnest(
        ${items.map(({ payableId }) => payableId)}::bigint[], ${items.map(({ name }) => name)}::text[]))`
    : sql``;
  const [row] = await tx<{ id: number }[]>`
    with made as (
      insert into tuition_payment.refund (order_id, refund_no, amount_fen, reason, is_surplus)
      values (${orderId}, ${refund.refundNo}, ${refund.amountFen}, ${refund.reason}, ${refund.isSurplus}) returning id
    ), items as (
      update tuition_payment.order_item set refund_id = made.id from made where order_id = ${orderId} ${named}
    )
    select id from made`;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

/** The refund that runs, for one process alone until the time is over; undefined: none runs, or another has it. */
export async function leaseRefund(tx: Db, orderId: number, seconds: number) {
  const [row] = await tx<{ id: number; refundNo: string; amountFen: number; reason: string; requestedAt: Date }[]>`
    update tuition_payment.refund set leased_until = now() + make_interval(secs => ${seconds}::float8)
    where order_id = ${orderId} and done_at is null and (leased_until is null or leased_until < now())
    returning id, refund_no as "refundNo", amount_fen as "amountFen", reason, requested_at as "requestedAt"`;
  return row;
}

/** It was not done yet: the gateway is asked again after so long. @param failure what it has said, if it has */
export async function postponeRefund(db: Db, refundId: number, seconds: number, failure: string | null): Promise<void> {
  await db`
    with freed as (
      update tuition_payment.refund set leased_until = null, failure = ${failure} where id = ${refundId}
      returning order_id
    )
    update tuition_payment.pay_order set asked = asked + 1, due_at = now() + make_interval(secs => ${seconds}::float8)
    from freed where id = order_id and status = 'refunding'`;
}

/**
 * The refund of that number and amount is done now, its items are free, and the order is refunded, or paid while something
 * of it is left. Returns its id; undefined: there is none such, or it was done before.
 */
export async function endRefund(
  tx: Db,
  orderId: number,
  refundNo: string,
  { amountFen, refundTradeNo, doneAt }: Refunded,
): Promise<number | undefined> {
  const [row] = await tx<{ id: number; moved: number | null }[]>`
    with done as (
      update tuition_payment.refund set done_at = ${doneAt}, trade_no = ${refundTradeNo}, leased_until = null, failure = null
      where order_id = ${orderId} and refund_no = ${refundNo} and amount_fen = ${amountFen} and done_at is null
      returning id
    ), freed as (
      update tuition_payment.order_item set state = 'free' from done where refund_id = done.id
    ), moved as (
      update tuition_payment.pay_order set refunded_fen = refunded_fen + ${amountFen}, refunded_at = ${doneAt},
        due_at = null, asked = 0, status = case when exists (
          select from tuition_payment.order_item as item
          where item.order_id = ${orderId} and item.state = 'paid' and item.refund_id is distinct from done.id)
          then 'paid' else 'refunded' end
      from done where pay_order.id = ${orderId} and status = 'refunding' returning pay_order.id, status
    ), told as (
      insert into tuition_payment.order_event (order_id, from_status, to_status, by)
      select id, 'refunding', status, 'gateway' from moved
    )
    select done.id, moved.id as moved from done left join moved on true`;
  if (row?.moved === null) throw new Error("an order with a running refund is not refunding");
  return row?.id;
}
