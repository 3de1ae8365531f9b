import { type Db, type Fragment, sql } from "#platform/database/index.ts";
import type { Refunded } from "#services/tuition-payment/gateways/gateway.ts";
import type { RefundStatus } from "./rules.ts";

// Each state transition of a refund checks the state that it leaves, and returns false or undefined if the refund is in
// another state. The caller makes the business decisions.

export interface NewRefund {
  readonly orderId: number;
  readonly refundNo: string;
  readonly status: "asked" | "running";
  readonly amountFen: number;
  readonly reason: string;
  readonly isSurplus: boolean;
  readonly askedBy: string | null;
  /** If undefined, all items of the order belong to the refund. Items of a failed refund are moved to the new one. */
  readonly items?: readonly { payableId: number; name: string }[];
  /** The transaction number of a second payment, "" if unknown. A second payment is refunded entirely. */
  readonly secondTrade?: string | undefined;
}

/** Violates refund_running if another refund of the order is running or awaits approval. */
export async function insertRefund(tx: Db, refund: NewRefund): Promise<number> {
  const { orderId, items } = refund;
  const named = items
    ? sql`and (payable_id, name) in (select * from unnest(
        ${items.map(({ payableId }) => payableId)}::bigint[], ${items.map(({ name }) => name)}::text[]))`
    : sql``;
  return tx.value<number>`
    with made as (
      insert into tuition_payment.refund (order_id, refund_no, status, amount_fen, reason, is_surplus, asked_by, second_trade)
      values (${orderId}, ${refund.refundNo}, ${refund.status}, ${refund.amountFen}, ${refund.reason},
        ${refund.isSurplus}, ${refund.askedBy}, ${refund.secondTrade ?? null}) returning id, asked_by
    ), items as (
      update tuition_payment.order_item set refund_id = made.id from made where order_id = ${orderId} ${named}
    ), taken as (
      update tuition_payment.refund set ended_at = now(), ended_by = made.asked_by from made
      where refund.status = 'failed' and refund.ended_at is null and refund.id in (
        select refund_id from tuition_payment.order_item where order_id = ${orderId} ${named})
    )
    select id from made`;
}

export const repeatRefund = (
  tx: Db,
  orderId: number,
  refundNo: string,
  again: Pick<NewRefund, "refundNo" | "status"> & { readonly by: string },
): Promise<StoredRefund | undefined> =>
  tx.first<StoredRefund>`
    with over as (
      update tuition_payment.refund set ended_at = now(), ended_by = ${again.by}
      where order_id = ${orderId} and refund_no = ${refundNo} and status = 'failed' and ended_at is null
      returning id, amount_fen, reason, is_surplus, second_trade
    ), made as (
      insert into tuition_payment.refund (order_id, refund_no, status, amount_fen, reason, is_surplus, second_trade, asked_by,
        again_of)
      select ${orderId}, ${again.refundNo}, ${again.status}, amount_fen, reason, is_surplus, second_trade, ${again.by}, id
      from over returning ${refundColumns}
    ), items as (
      update tuition_payment.order_item set refund_id = made.id from made, over where refund_id = over.id
    )
    select * from made`;

export interface StoredRefund {
  readonly id: number;
  readonly refundNo: string;
  readonly status: RefundStatus;
  readonly amountFen: number;
  readonly isSurplus: boolean;
  readonly askedBy: string | null;
  readonly secondTrade: string | null;
  readonly againOf: number | null;
}

const refundColumns = sql`id, refund_no as "refundNo", status, amount_fen as "amountFen", is_surplus as "isSurplus",
  asked_by as "askedBy", second_trade as "secondTrade", again_of as "againOf"`;

export const findRefund = (db: Db, orderId: number, refundNo: string): Promise<StoredRefund | undefined> =>
  db.first<StoredRefund>`
    select ${refundColumns} from tuition_payment.refund where order_id = ${orderId} and refund_no = ${refundNo}`;

export async function dropFailed(
  tx: Db,
  orderId: number,
  refundNo: string,
  by: string,
  note: string,
): Promise<boolean> {
  const count = await tx.count`
    update tuition_payment.refund set ended_at = now(), ended_by = ${by}, note = ${note}
    where order_id = ${orderId} and refund_no = ${refundNo} and status = 'failed' and ended_at is null`;
  return count === 1;
}

export async function approveRefund(tx: Db, refundId: number, by: string): Promise<boolean> {
  const count = await tx.count`
    update tuition_payment.refund set status = 'running', decided_at = now(), decided_by = ${by}
    where id = ${refundId} and status = 'asked'`;
  return count === 1;
}

/**
 * Refuses a requested refund. Its items are released or, if it was to repeat a failed refund, returned to that one.
 * Returns false if the refund does not await approval.
 */
export async function refuseRefund(tx: Db, refundId: number, reason: string, by: string): Promise<boolean> {
  const count = await tx.count`
    with refused as (
      update tuition_payment.refund set status = 'refused', decided_at = now(), decided_by = ${by}, failure = ${reason}
      where id = ${refundId} and status = 'asked' returning id, again_of
    ), items as (
      update tuition_payment.order_item set refund_id = refused.again_of from refused where refund_id = refused.id
    ), failed as (
      update tuition_payment.refund set ended_at = null, ended_by = null from refused
      where refund.id = refused.again_of and refund.status = 'failed'
    )
    select from refused`;
  return count === 1;
}

interface LeasedRefund {
  readonly id: number;
  readonly refundNo: string;
  readonly amountFen: number;
  readonly reason: string;
  readonly requestedAt: Date;
  readonly secondTrade: string | null;
}

export const leaseRefund = (tx: Db, orderId: number, seconds: number): Promise<LeasedRefund | undefined> =>
  tx.first<LeasedRefund>`
    update tuition_payment.refund set leased_until = now() + make_interval(secs => ${seconds}::float8)
    where order_id = ${orderId} and status = 'running' and (leased_until is null or leased_until < now())
    returning id, refund_no as "refundNo", amount_fen as "amountFen", reason, requested_at as "requestedAt",
      second_trade as "secondTrade"`;

export async function postponeRefund(db: Db, refundId: number, seconds: number, failure: string | null): Promise<void> {
  await db`
    with freed as (
      update tuition_payment.refund set leased_until = null, failure = ${failure}
      where id = ${refundId} and status = 'running' returning order_id
    )
    update tuition_payment.pay_order set asked = asked + 1, due_at = now() + make_interval(secs => ${seconds}::float8)
    from freed where id = order_id and status = 'refunding'`;
}

/** SQL for the order's state after a refund: "paid" as long as the order has paid or surplus items that meet `which`. */
const standing = (orderId: number, which = sql`true`): Fragment => sql`case when exists (
  select from tuition_payment.order_item as item
  where item.order_id = ${orderId} and ${which} and item.state in ('paid', 'surplus'))
  then 'paid' else 'refunded' end`;

/** A failed refund may be ended only while no other refund of the order is in progress. */
const isWaiting = (orderId: number): Fragment => sql`status = 'failed' and ended_at is null and not exists (
  select from tuition_payment.refund as other where other.order_id = ${orderId} and other.status in ('asked', 'running'))`;

export interface EndedRefund {
  readonly id: number;
  readonly isSurplus: boolean;
  readonly hadFailed: boolean;
}

/**
 * Completes a refund of this amount. Even a failed refund may complete, unless a person has ended it or another refund
 * of the order is in progress. Returns undefined if there is no such refund.
 */
export async function endRefund(
  tx: Db,
  orderId: number,
  refundNo: string,
  { amountFen, refundTradeNo, doneAt }: Refunded,
): Promise<EndedRefund | undefined> {
  const isOpen = sql`amount_fen = ${amountFen} and (status = 'running' or (${isWaiting(orderId)}))`;
  const set = sql`done_at = ${doneAt}, trade_no = ${refundTradeNo}, leased_until = null,
    ended_at = case when status = 'failed' then now() end, failure = case when status = 'failed' then failure end`;
  return finish(tx, orderId, refundNo, { isOpen, set, doneAt, by: "gateway" });
}

export async function endOutside(
  tx: Db,
  orderId: number,
  refundNo: string,
  { evidence, by }: { evidence: string; by: string },
): Promise<EndedRefund | undefined> {
  const set = sql`done_at = now(), ended_at = now(), ended_by = ${by}, evidence = ${evidence}`;
  const isOpen = isWaiting(orderId);
  return finish(tx, orderId, refundNo, { isOpen, set, doneAt: new Date(), by });
}

async function finish(
  tx: Db,
  orderId: number,
  refundNo: string,
  { isOpen, set, doneAt, by }: { isOpen: Fragment; set: Fragment; doneAt: Date; by: string },
): Promise<EndedRefund | undefined> {
  const [row] = await tx<(EndedRefund & { moved: number | null })[]>`
    with done as (
      update tuition_payment.refund set status = 'done', ${set}
      where order_id = ${orderId} and refund_no = ${refundNo} and ${isOpen}
      returning id, amount_fen, is_surplus, second_trade, failed_at
    ), freed as (
      update tuition_payment.order_item set state = 'free' from done where refund_id = done.id
    ), moved as (
      update tuition_payment.pay_order set
        refunded_fen = refunded_fen + case when second_trade is null then done.amount_fen else 0 end,
        refunded_at = ${doneAt}, due_at = null, asked = 0, status = ${standing(orderId, sql`item.refund_id is distinct from done.id`)}
      from done, (select status as before from tuition_payment.pay_order where id = ${orderId}) as old
      where pay_order.id = ${orderId} and status in ('refunding', 'paid', 'refunded')
      returning pay_order.id, before, status
    ), told as (
      insert into tuition_payment.order_event (order_id, from_status, to_status, by)
      select id, before, status, ${by} from moved where before <> status
    )
    select done.id, is_surplus as "isSurplus", failed_at is not null as "hadFailed", moved.id as moved
    from done left join moved on true`;
  if (row?.moved === null) throw new Error("an order with an open refund must be refunding, paid or refunded");
  return row;
}

export const failRefund = (
  tx: Db,
  orderId: number,
  refundNo: string,
  reason: string,
): Promise<Pick<StoredRefund, "id" | "amountFen" | "isSurplus"> | undefined> =>
  tx.first<Pick<StoredRefund, "id" | "amountFen" | "isSurplus">>`
    with failed as (
      update tuition_payment.refund set status = 'failed', failed_at = now(), failure = ${reason}, leased_until = null
      where order_id = ${orderId} and refund_no = ${refundNo} and status = 'running'
      returning id, amount_fen, is_surplus
    ), moved as (
      update tuition_payment.pay_order set due_at = null, asked = 0,
        status = ${standing(orderId)}
      from failed where pay_order.id = ${orderId} and status = 'refunding' returning pay_order.id, status
    ), told as (
      insert into tuition_payment.order_event (order_id, from_status, to_status, by)
      select id, 'refunding', status, 'gateway' from moved
    )
    select id, amount_fen as "amountFen", is_surplus as "isSurplus" from failed`;
