import { type Db, sql } from "#platform/database/index.ts";
import type { BookCheck } from "#platform/process/service.ts";
import { dueOfItem, isWrong } from "#services/tuition-payment/due-store.ts";
import type { GatewayName } from "#services/tuition-payment/gateways/gateway.ts";

/** Each posting has a kind, a debited account and a credited account. */
const postings = {
  /** A second `payment` posting for an order violates ledger_payment_once. */
  paid: ["payment", "gateway", "tuition"],
  /** Books money that cannot pay for the order's items, since its amount is wrong or the items are no longer due. */
  surplus: ["payment", "gateway", "surplus"],
  owed: ["refundDue", "tuition", "surplus"],
  kept: ["refundFailed", "surplus", "tuition"],
  second: ["secondPayment", "gateway", "surplus"],
  /**
   * Books a refund from surplus. Money that had paid for items was moved there by `owed`. If the refund first failed,
   * `kept` moved the money back, so a refund that succeeds after all is booked by `returnedAfterAll`.
   */
  returned: ["refund", "surplus", "gateway"],
  returnedAfterAll: ["refund", "tuition", "gateway"],
  handed: ["refund", "tuition", "hand"],
  handedSurplus: ["refund", "surplus", "hand"],
} as const;

export async function post(
  tx: Db,
  posted: keyof typeof postings,
  money: { orderId: number; refundId?: number; gateway: GatewayName; amountFen: number },
): Promise<void> {
  const { orderId, refundId = null, gateway, amountFen } = money;
  const [what, ...accounts] = postings[posted];
  await tx`
    with next as (select nextval('tuition_payment.posting') as posting)
    insert into tuition_payment.ledger (posting, order_id, refund_id, what, account, gateway, amount_fen)
    select posting, ${orderId}, ${refundId}, ${what}, line.account, ${gateway}, line.fen
    from next, unnest(${accounts}::text[], ${[amountFen, -amountFen]}::bigint[]) as line (account, fen)`;
}

/**
 * Checks that the postings balance, that the ledger agrees to the fen with the orders, refunds and items, that the
 * payables' paid flags are right, and that no item is overpaid.
 */
export const checkBooks = (db: Db): Promise<BookCheck[]> => db<BookCheck[]>`
  select 'ledger postings that do not balance' as what, 0 as expected, count(*) as found
  from (select from tuition_payment.ledger group by posting having sum(amount_fen) <> 0) as wrong
  union all
  select 'fen paid by orders, according to the ledger', (
      select coalesce(sum(coalesce(received_fen, amount_fen)), 0)::bigint from tuition_payment.pay_order
      where paid_at is not null),
    coalesce(sum(amount_fen), 0)::bigint
  from tuition_payment.ledger where what = 'payment' and account = 'gateway'
  union all
  select 'fen refunded, according to the ledger', (
      select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.refund where done_at is not null),
    -coalesce(sum(amount_fen), 0)::bigint
  from tuition_payment.ledger where what = 'refund' and account in ('gateway', 'hand')
  union all
  select 'fen refunded outside a gateway, according to the ledger', (
      select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.refund where evidence is not null),
    -coalesce(sum(amount_fen), 0)::bigint
  from tuition_payment.ledger where account = 'hand'
  union all
  select 'fen of second payments, according to the ledger', (
      select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.refund
      where second_trade is not null and again_of is null and status in ('running', 'done', 'failed')),
    coalesce(sum(amount_fen), 0)::bigint
  from tuition_payment.ledger where what = 'secondPayment' and account = 'gateway'
  union all
  select 'fen of paid items, according to the ledger', (
      select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.order_item where state = 'paid'),
    -coalesce(sum(amount_fen), 0)::bigint
  from tuition_payment.ledger where account = 'tuition'
  union all
  select 'payables whose paid state does not match their items', 0, count(*)
  from tuition_payment.payable where ${isWrong}
  union all
  select 'items with more paid or deducted than their amount', 0, count(*)
  from tuition_payment.payable, unnest(item_names, item_fen) as item (name, fen) where ${sql.raw(dueOfItem)} < 0`;
