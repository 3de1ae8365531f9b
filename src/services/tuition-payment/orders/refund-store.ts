import { type Db, sql } from "#platform/database/index.ts";
import type { BookCheck } from "#platform/process/service.ts";
import type { GatewayName } from "#services/tuition-payment/gateways/gateway.ts";

export interface RefundRow {
  readonly id: number;
  readonly refundNo: string;
  readonly amountFen: number;
  readonly reason: string;
  readonly requestedAt: Date;
}

export interface NewRefund {
  readonly orderId: number;
  readonly refundNo: string;
  readonly amountFen: number;
  readonly reason: string;
  readonly isSurplus: boolean;
  /** Left out: everything in the order. */
  readonly items?: readonly { readonly payableId: number; readonly name: string }[];
}

/** Stores a refund, whose the items are from now on. A second one that runs breaks refund_running. */
export async function insertRefund(tx: Db, refund: NewRefund): Promise<number> {
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
export async function leaseRefund(tx: Db, orderId: number, seconds: number): Promise<RefundRow | undefined> {
  const [row] = await tx<RefundRow[]>`
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

export interface DoneRefund {
  readonly amountFen: number;
  readonly refundTradeNo: string | null;
  readonly doneAt: Date;
}

/**
 * The refund of that number and amount is done now, its items are free, and the order is refunded, or paid while something
 * of it is left. Returns its id; undefined: there is none such, or it was done before.
 */
export async function endRefund(
  tx: Db,
  orderId: number,
  refundNo: string,
  { amountFen, refundTradeNo, doneAt }: DoneRefund,
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

/** What is posted: as what, and to which account is added what is taken from the other. */
const postings = {
  /** Money came for items; a second time breaks ledger_payment_once. */
  paid: ["payment", "gateway", "tuition"],
  /** Money came for nothing that is still to be paid. */
  surplus: ["payment", "gateway", "surplus"],
  /** What was paid for items is owed back. */
  owed: ["refundDue", "tuition", "surplus"],
  /** The gateway has given back what was owed. */
  returned: ["refund", "surplus", "gateway"],
} as const;

interface Money {
  readonly orderId: number;
  readonly refundId?: number;
  readonly gateway: GatewayName;
  readonly amountFen: number;
}

/** Writes money into the ledger. */
export async function post(tx: Db, posted: keyof typeof postings, money: Money): Promise<void> {
  const { orderId, refundId = null, gateway, amountFen } = money;
  const [what, ...accounts] = postings[posted];
  await tx`
    with next as (select nextval('tuition_payment.posting') as posting)
    insert into tuition_payment.ledger (posting, order_id, refund_id, what, account, gateway, amount_fen)
    select posting, ${orderId}, ${refundId}, ${what}, line.account, ${gateway}, line.fen
    from next, unnest(${accounts}::text[], ${[amountFen, -amountFen]}::bigint[]) as line (account, fen)`;
}

/** The ledger's money against the orders, refunds and items that it is the money of, in fen. */
export const checkBooks = (db: Db): Promise<BookCheck[]> => db<BookCheck[]>`
  select 'postings of the ledger that do not balance' as what, 0 as expected, count(*) as found
  from (select from tuition_payment.ledger group by posting having sum(amount_fen) <> 0) as wrong
  union all
  select 'fen paid by orders, as the ledger has them', (
      select coalesce(sum(coalesce(received_fen, amount_fen)), 0)::bigint from tuition_payment.pay_order
      where paid_at is not null),
    coalesce(sum(amount_fen), 0)::bigint
  from tuition_payment.ledger where what = 'payment' and account = 'gateway'
  union all
  select 'fen refunded, as the ledger has them', (
      select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.refund where done_at is not null),
    -coalesce(sum(amount_fen), 0)::bigint
  from tuition_payment.ledger where what = 'refund' and account = 'gateway'
  union all
  select 'fen of items that are paid, as the ledger has them', (
      select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.order_item where state = 'paid'),
    -coalesce(sum(amount_fen), 0)::bigint
  from tuition_payment.ledger where account = 'tuition'`;
