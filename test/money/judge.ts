import assert from "node:assert/strict";
import type { Pool } from "#platform/database/index.ts";
import { checkBooks } from "#services/tuition-payment/orders/ledger-store.ts";
import type { PaymentStandIn } from "#test/stand-ins/payment.ts";

interface OrderBook {
  readonly orderNo: string;
  readonly gateway: string | null;
  readonly status: string;
  readonly amountFen: number;
  /** The amount refunded through the gateway; refunds by hand are not in the gateway's books. */
  readonly refundedFen: number;
  /** The amount paid, if it differs from the order's amount. */
  readonly receivedFen: number | null;
  readonly isPaid: boolean;
}

/** Asserts that ledger, orders, payables and the payment platforms' own books agree to the fen. */
export async function judgeBooks(pool: Pool, standIns: Readonly<Record<string, PaymentStandIn>>): Promise<void> {
  await judgeLedger(pool, standIns);
  await judgeOrders(pool, standIns);
  await judgePayables(pool);
  await judgeReasons(pool);
}

/**
 * Asserts that every refund has a person's decision or a documented reason, that refunds by hand have evidence, and
 * that no refund is unfinished.
 */
async function judgeReasons(pool: Pool): Promise<void> {
  const unasked = await pool`
    select refund_no from tuition_payment.refund where asked_by is null and not (is_surplus and reason = '重复缴费')`;
  assert.deepEqual(unasked, [], "refunds that nobody has asked for");
  const [hand] = await pool<{ booked: number; proved: number }[]>`
    select (select -coalesce(sum(amount_fen), 0)::bigint from tuition_payment.ledger where account = 'hand') as booked,
      (select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.refund where evidence is not null) as proved`;
  assert.equal(hand?.booked, hand?.proved, "money that left by hand");
  const open = await pool`
    select order_id, status from tuition_payment.refund where status in ('asked', 'running')`;
  assert.deepEqual(open, [], "refunds that neither are done nor have failed");
}

async function judgeLedger(pool: Pool, standIns: Readonly<Record<string, PaymentStandIn>>): Promise<void> {
  const rows = await pool<{ account: string; gateway: string; fen: number }[]>`
    select account, gateway, sum(amount_fen)::bigint as fen from tuition_payment.ledger group by 1, 2`;
  const balance = (account: string, gateway?: string): number =>
    rows
      .filter((row) => row.account === account && (gateway === undefined || row.gateway === gateway))
      .reduce((sum, { fen }) => sum + fen, 0);
  for (const [name, { books }] of Object.entries(standIns))
    assert.equal(balance("gateway", name), books.sumFen(), `the ledger's money at ${name}`);
  assert.equal(balance("surplus"), 0, "something is owed and was not given back");
  const [items] = await pool<{ fen: number }[]>`
    select coalesce(sum(amount_fen), 0)::bigint as fen from tuition_payment.order_item where state = 'paid'`;
  assert.equal(-balance("tuition"), items?.fen, "what the items that are paid add up to");
}

async function judgeOrders(pool: Pool, standIns: Readonly<Record<string, PaymentStandIn>>): Promise<void> {
  const orders = await pool<OrderBook[]>`
    select order_no as "orderNo", gateway, status, amount_fen as "amountFen", refunded_fen - (
        select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.refund
        where order_id = pay_order.id and evidence is not null) as "refundedFen",
      received_fen as "receivedFen", paid_at is not null as "isPaid" from tuition_payment.pay_order`;
  const ours = new Map(orders.map((order) => [order.orderNo, order]));
  for (const order of orders) assert.match(order.status, /^(?:paid|refunded|closed)$/, order.orderNo);
  let paid = 0;
  for (const [name, { books }] of Object.entries(standIns))
    for (const theirs of books.orders.values()) {
      const order = ours.get(theirs.orderNo) ?? assert.fail(`${theirs.orderNo} is theirs alone`);
      const refunds = [...theirs.refunds.values()].reduce((sum, { amountFen }) => sum + amountFen, 0);
      if (theirs.state !== "paid") continue;
      paid++;
      const oursFen = order.receivedFen ?? order.amountFen;
      assert.deepEqual([order.isPaid, order.gateway, oursFen], [true, name, theirs.paidFen], theirs.orderNo);
      if (order.receivedFen !== null) assert.equal(order.status, "refunded", theirs.orderNo);
      assert.equal(order.refundedFen, refunds, theirs.orderNo);
    }
  assert.equal(orders.filter(({ isPaid }) => isPaid).length, paid, "orders are paid without money");
}

async function judgePayables(pool: Pool): Promise<void> {
  const items = await pool<{ payableId: number; restFen: number; adjusted: boolean; paidBy: string | null }[]>`
    select payable.id as "payableId", payable.paid_by as "paidBy", item.fen - off.fen - bought.fen as "restFen",
      off.fen > 0 as adjusted
    from tuition_payment.payable, unnest(item_names, item_fen) as item (name, fen),
      lateral (select coalesce(sum(part.fen), 0)::bigint as fen from tuition_payment.adjustment as made,
        unnest(made.item_names, made.item_fen) as part (name, fen)
        where made.payable_id = payable.id and made.undone_at is null and part.name = item.name) as off,
      lateral (select coalesce(sum(amount_fen), 0)::bigint as fen from tuition_payment.order_item
        where payable_id = payable.id and name = item.name and state = 'paid') as bought`;
  for (const [payableId, own] of Map.groupBy(items, (item) => item.payableId)) {
    assert.ok(
      own.every(({ restFen }) => restFen >= 0),
      `more than is due was paid or taken off of ${payableId}`,
    );
    const isPaid = own.every(({ restFen }) => restFen === 0);
    const by = own.some(({ adjusted }) => adjusted) ? "decision" : "orders";
    assert.equal(own[0]?.paidBy, isPaid ? by : null, `whether ${payableId} is paid`);
  }
  const checks = await checkBooks(pool);
  assert.deepEqual(
    checks.filter(({ expected, found }) => expected !== found),
    [],
  );
}
