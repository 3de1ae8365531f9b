import { type Db, type Fragment, sql } from "#platform/database/index.ts";
import type { GatewayName, Paid } from "#services/tuition-payment/gateways/gateway.ts";
import type { StoredCardNumber } from "#services/tuition-payment/sealed.ts";
import { type KeptAnswer, orderHead, type OrderHead, type OrderRow } from "./order-store.ts";
import type { OrderStatus } from "./rules.ts";

// Each state transition is logged. It checks the state that it leaves, so concurrent calls take effect once. A
// transition that returns a boolean returns false if the order is in another state. The caller makes the business
// decisions.

export interface OrderedItem {
  readonly payableId: number;
  readonly years: string;
  readonly name: string;
  readonly amountFen: number;
}

export interface NewOrder extends StoredCardNumber {
  readonly orderNo: string;
  readonly studentNo: string | null;
  readonly studentName: string;
  readonly grade: string;
  readonly amountFen: number;
  readonly limitSeconds: number;
  readonly items: readonly OrderedItem[];
}

/** Creates the order and reserves its items. Violates order_item_taken if another order has one of the items. */
export async function insertOrder(tx: Db, order: NewOrder): Promise<OrderRow> {
  const { items } = order;
  const [row] = await tx<OrderHead[]>`
    with made as (
      insert into tuition_payment.pay_order (order_no, card_number, card_number_sealed, student_no, student_name, grade, amount_fen,
        expires_at, due_at)
      select ${order.orderNo}, ${order.cardNumber}, ${order.cardNumberSealed}, ${order.studentNo}, ${order.studentName}, ${order.grade},
        ${order.amountFen}::bigint, limit_at, limit_at
      from (select now() + make_interval(secs => ${order.limitSeconds}) as limit_at) as given
      returning ${orderHead}
    ), items as (
      insert into tuition_payment.order_item (order_id, payable_id, years, name, amount_fen)
      select made.id, item.* from made, unnest(${items.map(({ payableId }) => payableId)}::bigint[],
        ${items.map(({ years }) => years)}::text[], ${items.map(({ name }) => name)}::text[],
        ${items.map(({ amountFen }) => amountFen)}::bigint[]) as item
    ), told as (
      insert into tuition_payment.order_event (order_id, to_status, by) select id, 'created', 'student' from made
    )
    select * from made`;
  if (!row) throw new Error("an insert returned no row");
  return { ...row, refunds: [], items: items.map((item) => ({ ...item, state: "held", refundId: null })) };
}

const inSeconds = (seconds: number): Fragment => sql`now() + make_interval(secs => ${seconds}::float8)`;

export async function pollAfter(db: Db, { id, status }: OrderHead, seconds: number): Promise<void> {
  await db`
    update tuition_payment.pay_order set asked = asked + 1, due_at = case when expires_at > now()
      then least(${inSeconds(seconds)}, expires_at) else ${inSeconds(seconds)} end
    where id = ${id} and status = ${status}`;
}

/** Stops polling the order, unless its state has changed. */
export async function stopWatching(db: Db, { id, status }: OrderHead): Promise<void> {
  await db`update tuition_payment.pay_order set due_at = null where id = ${id} and status = ${status}`;
}

/**
 * Leases to this process the orders whose polling is longest overdue. An order becomes due again when its lease
 * expires, even if the process dies.
 */
export const claimDue = async (db: Db, most: number, seconds: number): Promise<OrderHead[]> =>
  db<OrderHead[]>`
    update tuition_payment.pay_order set due_at = ${inSeconds(seconds)}
    where id in (
      select id from tuition_payment.pay_order where due_at <= now() and status <> 'created'
      order by due_at limit ${most} for update skip locked)
    returning ${orderHead}`;

export const closeExpired = async (db: Db, most: number): Promise<number> =>
  db.count`
    with due as (
      select id from tuition_payment.pay_order where due_at <= now() and expires_at <= now() and status = 'created'
      order by due_at limit ${most} for update skip locked
    ), closed as (
      update tuition_payment.pay_order set status = 'closed', closed_at = now(), due_at = null
      from due where pay_order.id = due.id returning due.id
    ), items as (
      update tuition_payment.order_item set state = 'free' from closed where order_id = closed.id
    )
    insert into tuition_payment.order_event (order_id, from_status, to_status, by)
    select id, 'created', 'closed', 'limit' from closed`;

interface Move {
  readonly from: OrderStatus;
  readonly to: OrderStatus;
  readonly by: string;
  readonly set: Fragment;
  readonly items?: Fragment;
}

async function move(tx: Db, orderId: number, { from, to, by, set, items }: Move): Promise<boolean> {
  const count = await tx.count`
    with moved as (
      update tuition_payment.pay_order set status = ${to}, ${set} where id = ${orderId} and status = ${from} returning id
    ) ${items ? sql`, items as (update tuition_payment.order_item set ${items} from moved where order_id = moved.id)` : sql``}
    insert into tuition_payment.order_event (order_id, from_status, to_status, by)
    select id, ${from}, ${to}, ${by} from moved`;
  return count === 1;
}

/**
 * Claims the order for a gateway; concurrent claims for the same gateway succeed. Returns the id of the logged call, or
 * undefined if another gateway has the claim, the state has changed or the order has expired.
 */
export const claimForPay = (
  db: Db,
  orderId: number,
  gateway: GatewayName,
  redirectUrl: string,
  seconds: number,
): Promise<number | undefined> =>
  db.value<number>`
    with claimed as (
      update tuition_payment.pay_order set claimed_gateway = ${gateway}, redirect_url = ${redirectUrl},
        claimed_until = ${inSeconds(seconds)}
      where id = ${orderId} and status = 'created' and expires_at > now()
        and (claimed_gateway is null or claimed_gateway = ${gateway} or claimed_until < now()) returning id
    )
    insert into tuition_payment.gateway_call (order_id, gateway, call)
    select id, ${gateway}, 'pay' from claimed returning id`;

export const beginPaying = (
  tx: Db,
  orderId: number,
  gateway: GatewayName,
  answer: KeptAnswer,
  askAfterSeconds: number,
): Promise<boolean> =>
  move(tx, orderId, {
    from: "created",
    to: "paying",
    by: "student",
    set: sql`gateway = ${gateway}, pay_answer = ${JSON.stringify(answer)}::jsonb, claimed_gateway = null,
      claimed_until = null, asked = 1, due_at = least(${inSeconds(askAfterSeconds)}, expires_at)`,
  });

export async function keepAnswer(tx: Db, orderId: number, gateway: GatewayName, answer: KeptAnswer): Promise<void> {
  await tx`
    update tuition_payment.pay_order set pay_answer = ${JSON.stringify(answer)}::jsonb
    where id = ${orderId} and status = 'paying' and gateway = ${gateway}`;
}

export async function keepRedirect(db: Db, orderId: number, redirectUrl: string): Promise<void> {
  await db`
    update tuition_payment.pay_order set redirect_url = ${redirectUrl}
    where id = ${orderId} and status = 'paying' and redirect_url is distinct from ${redirectUrl}`;
}

export async function keepLink(db: Db, orderId: number, hash: Buffer): Promise<boolean> {
  const count = await db.count`
    update tuition_payment.pay_order set link_hash = ${hash}
    where id = ${orderId} and status in ('created', 'paying') and expires_at > now()`;
  return count === 1;
}

/** @param askAfterSeconds delay until the next query; not needed if no gateway knows the order */
export const closeOrder = (
  tx: Db,
  orderId: number,
  from: "created" | "paying",
  by: string,
  askAfterSeconds?: number,
): Promise<boolean> =>
  move(tx, orderId, {
    from,
    to: "closed",
    by,
    set: sql`closed_at = now(), asked = 0, due_at = ${askAfterSeconds === undefined ? null : inSeconds(askAfterSeconds)}`,
    items: sql`state = 'free'`,
  });

export const markPaid = (
  tx: Db,
  orderId: number,
  from: "paying" | "closed",
  { tradeNo, paidAt }: Paid,
  by: string,
): Promise<boolean> =>
  move(tx, orderId, {
    from,
    to: "paid",
    by,
    set: sql`trade_no = coalesce(${tradeNo}, trade_no), paid_at = ${paidAt}, received_fen = null, due_at = null, asked = 0,
      received_at = case when decided_at is not null then received_at end`,
    items: sql`state = 'paid'`,
  });

export const markSurplus = (
  tx: Db,
  orderId: number,
  from: "paying" | "closed",
  { tradeNo, paidAt, amountFen }: Paid,
  by: string,
): Promise<boolean> =>
  move(tx, orderId, {
    from,
    to: "refunding",
    by,
    set: sql`trade_no = coalesce(${tradeNo}, trade_no), paid_at = ${paidAt},
      received_fen = nullif(${amountFen}::bigint, amount_fen), due_at = now(), asked = 0`,
    items: sql`state = 'surplus'`,
  });

export const beginRefunding = (
  tx: Db,
  orderId: number,
  by: string,
  from: "paid" | "refunded" = "paid",
): Promise<boolean> => move(tx, orderId, { from, to: "refunding", by, set: sql`due_at = now(), asked = 0` });

/**
 * Stores the received amount of an unpaid order for a person's decision. If the amount differs from the stored one, an
 * earlier decision is removed.
 */
export async function noteReceived(tx: Db, orderId: number, amountFen: number): Promise<void> {
  await tx`
    update tuition_payment.pay_order set received_fen = ${amountFen}, received_at = now(), decided_at = null,
      decided_by = null, decided_note = null
    where id = ${orderId} and status in ('paying', 'closed') and received_fen is distinct from ${amountFen}`;
}

/** Returns false if no received money awaits a decision. */
export async function decideReceived(tx: Db, orderId: number, by: string, note: string | null): Promise<boolean> {
  const count = await tx.count`
    update tuition_payment.pay_order set decided_at = now(), decided_by = ${by}, decided_note = ${note}
    where id = ${orderId} and received_fen is not null and decided_at is null and status in ('paying', 'closed')`;
  return count === 1;
}
