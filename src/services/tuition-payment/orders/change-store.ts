import type { Db } from "#platform/database/index.ts";
import { addJob } from "#platform/jobs/runner.ts";
import type { GatewayName, PayAnswer } from "#services/tuition-payment/gateways/gateway.ts";
import type { OfferedItem, OrderStatus } from "./rules.ts";

// Every change of a state names the state that it leaves, and writes down that it happened: what two do at once is done
// once. None of these decides anything.

/** The job that does what an order needs by itself. */
export const watchTask = "tuition-payment-order";

export interface NewOrder {
  readonly orderNo: string;
  readonly cardNumber: string;
  readonly studentNo: string | null;
  readonly studentName: string;
  readonly grade: string;
  readonly amountFen: number;
  readonly limitSeconds: number;
  readonly items: readonly OfferedItem[];
}

/** Stores an order with its items, held. One that another order has breaks order_item_taken. */
export async function insertOrder(tx: Db, order: NewOrder): Promise<number> {
  const { items } = order;
  const [row] = await tx<{ id: number; expiresAt: Date }[]>`
    with made as (
      insert into tuition_payment.pay_order (order_no, card_number, student_no, student_name, grade, amount_fen,
        expires_at, due_at)
      values (${order.orderNo}, ${order.cardNumber}, ${order.studentNo}, ${order.studentName}, ${order.grade},
        ${order.amountFen}, now() + make_interval(secs => ${order.limitSeconds}),
        now() + make_interval(secs => ${order.limitSeconds}))
      returning id, expires_at
    ), items as (
      insert into tuition_payment.order_item (order_id, payable_id, years, name, amount_fen)
      select made.id, item.* from made, unnest(${items.map(({ payableId }) => payableId)}::bigint[],
        ${items.map(({ years }) => years)}::text[], ${items.map(({ name }) => name)}::text[],
        ${items.map(({ amountFen }) => amountFen)}::bigint[]) as item
    ), told as (
      insert into tuition_payment.order_event (order_id, to_status, by) select id, 'created', 'student' from made
    )
    select id, expires_at as "expiresAt" from made`;
  if (!row) throw new Error("an insert returned no row");
  await addJob(tx, watchTask, { orderId: row.id }, { key: keyOf(row.id), runAt: row.expiresAt });
  return row.id;
}

const keyOf = (orderId: number): string => `${watchTask} ${orderId}`;

/** Has the order looked at then, and not at another time. */
export async function watchAfter(tx: Db, orderId: number, seconds: number): Promise<void> {
  const [row] = await tx<{ dueAt: Date }[]>`
    update tuition_payment.pay_order set due_at = now() + make_interval(secs => ${seconds}::float8) where id = ${orderId}
    returning due_at as "dueAt"`;
  if (row) await addJob(tx, watchTask, { orderId }, { key: keyOf(orderId), runAt: row.dueAt });
}

/** The same, though no later than the order's limit. */
export async function pollAfter(tx: Db, orderId: number, seconds: number): Promise<void> {
  const [row] = await tx<{ dueAt: Date }[]>`
    update tuition_payment.pay_order set asked = asked + 1, due_at = case when expires_at > now()
      then least(now() + make_interval(secs => ${seconds}::float8), expires_at)
      else now() + make_interval(secs => ${seconds}::float8) end
    where id = ${orderId} returning due_at as "dueAt"`;
  if (row) await addJob(tx, watchTask, { orderId }, { key: keyOf(orderId), runAt: row.dueAt });
}

/** Nothing is to be done by itself any more; the job that is there finds that. */
export async function stopWatching(tx: Db, orderId: number): Promise<void> {
  await tx`update tuition_payment.pay_order set due_at = null where id = ${orderId}`;
}

/** Orders whose job is overdue, as after a restore without jobs. */
export async function listOverdue(db: Db, most: number): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    select id from tuition_payment.pay_order where due_at < now() - interval '1 minute' order by due_at limit ${most}`;
  return rows.map(({ id }) => id);
}

/** A job for each of the orders, now. */
export async function wakeOrders(tx: Db, ids: readonly number[]): Promise<void> {
  for (const orderId of ids) await addJob(tx, watchTask, { orderId }, { key: keyOf(orderId) });
}

export async function addEvent(
  tx: Db,
  orderId: number,
  from: OrderStatus | null,
  to: OrderStatus,
  by: string,
): Promise<void> {
  await tx`
    insert into tuition_payment.order_event (order_id, from_status, to_status, by)
    values (${orderId}, ${from}, ${to}, ${by})`;
}

/**
 * Lets one gateway be asked to take the payment of an order that nobody pays yet. Whoever asks the same one at once may.
 * False: another is being asked, or it is not in that state any more.
 */
export async function claimForPay(
  tx: Db,
  orderId: number,
  gateway: GatewayName,
  redirectUrl: string,
  seconds: number,
): Promise<boolean> {
  const rows = await tx`
    update tuition_payment.pay_order set claimed_gateway = ${gateway}, redirect_url = ${redirectUrl},
      claimed_until = now() + make_interval(secs => ${seconds}::float8)
    where id = ${orderId} and status = 'created' and expires_at > now()
      and (claimed_gateway is null or claimed_gateway = ${gateway} or claimed_until < now()) returning 1`;
  return rows.length === 1;
}

export async function giveUpClaim(tx: Db, orderId: number, gateway: GatewayName): Promise<void> {
  await tx`
    update tuition_payment.pay_order set claimed_gateway = null, claimed_until = null
    where id = ${orderId} and status = 'created' and claimed_gateway = ${gateway}`;
}

/** False: it is not created any more. */
export async function beginPaying(tx: Db, orderId: number, gateway: GatewayName, answer: PayAnswer): Promise<boolean> {
  const rows = await tx`
    update tuition_payment.pay_order set status = 'paying', gateway = ${gateway}, pay_answer = ${JSON.stringify(answer)}::jsonb,
      claimed_gateway = null, claimed_until = null, asked = 0
    where id = ${orderId} and status = 'created' returning 1`;
  if (rows.length === 0) return false;
  await addEvent(tx, orderId, "created", "paying", "student");
  return true;
}

/** False: it is in another state. The items are free again. */
export async function closeOrder(tx: Db, orderId: number, from: "created" | "paying", by: string): Promise<boolean> {
  const rows = await tx`
    update tuition_payment.pay_order set status = 'closed', closed_at = now(), due_at = null, asked = 0
    where id = ${orderId} and status = ${from} returning 1`;
  if (rows.length === 0) return false;
  await tx`update tuition_payment.order_item set state = 'free' where order_id = ${orderId} and state = 'held'`;
  await addEvent(tx, orderId, from, "closed", by);
  return true;
}

export interface Payment {
  readonly tradeNo: string | null;
  readonly paidAt: Date;
}

/** The order has its items, and they are paid. False: it is in another state. */
export async function markPaid(
  tx: Db,
  orderId: number,
  from: "paying" | "closed",
  { tradeNo, paidAt }: Payment,
  by: string,
): Promise<boolean> {
  const rows = await tx`
    update tuition_payment.pay_order set status = 'paid', trade_no = coalesce(${tradeNo}, trade_no), paid_at = ${paidAt},
      received_fen = null, due_at = null, asked = 0
    where id = ${orderId} and status = ${from} returning 1`;
  if (rows.length === 0) return false;
  await tx`update tuition_payment.order_item set state = 'paid' where order_id = ${orderId}`;
  await addEvent(tx, orderId, from, "paid", by);
  return true;
}

/** Money came that pays for nothing in the order: all of it is to go back. False: the order is in another state. */
export async function markSurplus(
  tx: Db,
  orderId: number,
  from: "paying" | "closed",
  { tradeNo, paidAt, amountFen }: Payment & { readonly amountFen: number },
  by: string,
): Promise<boolean> {
  const rows = await tx`
    update tuition_payment.pay_order set status = 'refunding', trade_no = coalesce(${tradeNo}, trade_no),
      paid_at = ${paidAt}, received_fen = nullif(${amountFen}::bigint, amount_fen), asked = 0
    where id = ${orderId} and status = ${from} returning 1`;
  if (rows.length === 0) return false;
  await tx`update tuition_payment.order_item set state = 'surplus' where order_id = ${orderId}`;
  await addEvent(tx, orderId, from, "refunding", by);
  return true;
}

/** Keeps what came, for a person to decide about. */
export async function noteReceived(tx: Db, orderId: number, amountFen: number): Promise<void> {
  await tx`
    update tuition_payment.pay_order set received_fen = ${amountFen}
    where id = ${orderId} and status in ('paying', 'closed') and received_fen is distinct from ${amountFen}`;
}

/** Payables, which are locked, all of whose items orders have paid are paid; those of which an item is free again are not. */
export async function settlePayables(tx: Db, orderId: number): Promise<void> {
  await tx`
    with due as (
      select payable.id, not exists (
        select from unnest(payable.item_names) as wanted (wanted_name) where not exists (
          select from tuition_payment.order_item as item
          where item.payable_id = payable.id and item.name = wanted_name and item.state = 'paid')) as is_paid
      from tuition_payment.payable
      where id in (select payable_id from tuition_payment.order_item where order_id = ${orderId}))
    update tuition_payment.payable set paid_by = case when is_paid then 'orders' end,
      paid_at = case when is_paid then now() end, updated_at = now()
    from due where payable.id = due.id and payable.paid_by is distinct from 'decision'
      and (payable.paid_by is null) = due.is_paid`;
}
