import type * as z from "zod";
import type { ListOrder } from "#platform/contract/sorting.ts";
import {
  column,
  type PageWithTotal,
  type Db,
  type Fragment,
  listPage,
  type RowOf,
  sql,
  startStatement,
  type Statement,
  type Within,
  writeSelected,
} from "#platform/database/index.ts";
import type { GatewayName, PayAnswer } from "#services/tuition-payment/gateways/gateway.ts";
import { dueOfItem } from "#services/tuition-payment/due-store.ts";
import { ownOrders, spellCard } from "#services/tuition-payment/own-store.ts";
import { listOfOrder } from "#services/tuition-payment/scope-store.ts";
import type { OrderField, orderFilter } from "./contract.ts";
import type { ItemState, OrderStatus, RefundStatus } from "./rules.ts";

export interface OrderItem {
  readonly payableId: number;
  readonly years: string;
  readonly name: string;
  readonly amountFen: number;
  readonly state: ItemState;
  readonly refundId: number | null;
}

export interface OrderRefund {
  readonly id: number;
  readonly refundNo: string;
  readonly amountFen: number;
  readonly reason: string;
  readonly status: RefundStatus;
  readonly requestedAt: string;
}

/** If `payer` is set, the answer is valid for that payer only. */
export type KeptAnswer = PayAnswer & { readonly payer?: string | undefined };

const headColumns = {
  id: column<number>("id"),
  orderNo: column<string>("order_no"),
  studentNo: column<string | null>("student_no"),
  studentName: column<string>("student_name"),
  grade: column<string>("grade"),
  amountFen: column<number>("amount_fen"),
  status: column<OrderStatus>("status"),
  gateway: column<GatewayName | null>("gateway"),
  tradeNo: column<string | null>("trade_no"),
  payAnswer: column<KeptAnswer | null>("pay_answer"),
  redirectUrl: column<string | null>("redirect_url"),
  asked: column<number>("asked"),
  refundedFen: column<number>("refunded_fen"),
  /** Received amount in fen if it differs from the order's amount or came after an adjustment of an item, else null. */
  receivedFen: column<number | null>("received_fen"),
  createdAt: column<Date>("created_at"),
  expiresAt: column<Date>("expires_at"),
  paidAt: column<Date | null>("paid_at"),
  closedAt: column<Date | null>("closed_at"),
  refundedAt: column<Date | null>("refunded_at"),
  receiptNo: column<string | null>("receipt_no"),
  /** Whether the order has expired by the database's clock, which all processes share. */
  isExpired: column<boolean>("expires_at <= now()"),
};

export type OrderHead = RowOf<typeof headColumns>;

export interface OrderRow extends OrderHead {
  readonly items: readonly OrderItem[];
  readonly refunds: readonly OrderRefund[];
}

const head = writeSelected(headColumns);

export const orderHead = sql.raw(head);

const columns = `${head},
  (select json_agg(json_build_object('payableId', i.payable_id, 'years', i.years, 'name', i.name,
     'amountFen', i.amount_fen, 'state', i.state, 'refundId', i.refund_id) order by i.id)
   from tuition_payment.order_item i where i.order_id = pay_order.id) as items,
  coalesce((select json_agg(json_build_object('id', r.id, 'refundNo', r.refund_no, 'amountFen', r.amount_fen,
     'reason', r.reason, 'status', r.status, 'requestedAt', r.requested_at) order by r.id)
   from tuition_payment.refund r where r.order_id = pay_order.id), '[]') as refunds`;

const selectByNo = `select ${columns} from tuition_payment.pay_order where order_no = $1`;
const selectLinked = `select ${columns} from tuition_payment.pay_order
  where link_hash = $1 and coalesce(paid_at, closed_at, expires_at) > now() - interval '1 day'`;
const selectUnderCard = `${selectByNo} and (card_number = any($2) or student_no = any($2))`;
const selectOwn = `${selectByNo} and id in (${ownOrders("$2", "$3")})`;
const lockByNo = `select ${head} from tuition_payment.pay_order where order_no = $1 for update`;

export const listOrderedGrades = async (db: Db, orderId: number): Promise<(boolean | null)[]> =>
  db.values<boolean | null>`
    select enabled from tuition_payment.payable left join tuition_payment.pay_limit using (grade)
    where ${payablesOf(orderId)}`;

export const findOrder = async (db: Db, orderNo: string): Promise<OrderRow | undefined> =>
  (await db.query<OrderRow>(selectByNo, [orderNo]))[0];

export async function findOrderWithin(db: Db, orderNo: string, within: Within): Promise<OrderRow | undefined> {
  const statement = startStatement();
  const where = [`order_no = ${statement.value(orderNo)}`, ...listOfOrder(statement, within)].join(" and ");
  const [row] = await statement.run<OrderRow>(db, `select ${columns} from tuition_payment.pay_order where ${where}`);
  return row;
}

export const findLinkedOrder = async (db: Db, hash: Buffer): Promise<OrderRow | undefined> =>
  (await db.query<OrderRow>(selectLinked, [hash]))[0];

export async function findOwnOrder(db: Db, orderNo: string, card: string): Promise<OrderRow | undefined> {
  const [cards, idCards] = spellCard(db, card);
  // The simple query comes first: nearly every order is stored under the card itself, and planning the general query
  // takes longer than running the simple one.
  const [row] = await db.query<OrderRow>(selectUnderCard, [orderNo, cards]);
  return row ?? (await db.query<OrderRow>(selectOwn, [orderNo, cards, idCards]))[0];
}

export const lockOrder = async (tx: Db, orderNo: string): Promise<OrderHead | undefined> =>
  (await tx.query<OrderHead>(lockByNo, [orderNo]))[0];

export type OrderFilter = Omit<z.output<typeof orderFilter>, "mismatched" | "startTime" | "endTime"> & {
  readonly within: Within;
  readonly isMismatched?: boolean | undefined;
  readonly whose?: ReturnType<typeof spellCard>;
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

export const mismatched =
  "(received_at is not null and received_fen is not null and decided_at is null and status in ('paying', 'closed'))";

function toConditions(statement: Statement, filter: OrderFilter): string {
  const { within, whose, status, gateway, keyword, isMismatched, from, to } = filter;
  const conditions = [
    ...listOfOrder(statement, within),
    ...(whose === undefined ? [] : [`id in (${ownOrders(statement.value(whose[0]), statement.value(whose[1]))})`]),
    ...(status === undefined ? [] : [`status = ${statement.value(status)}`]),
    ...(gateway === undefined ? [] : [`gateway = ${statement.value(gateway)}`]),
    ...(keyword === undefined ? [] : [`strpos(search, lower(${statement.value(keyword)})) > 0`]),
    ...(isMismatched === undefined ? [] : [isMismatched ? mismatched : `not ${mismatched}`]),
    ...(from === undefined ? [] : [`created_at >= ${statement.value(from)}`]),
    // Times in requests have no fractions of a second, so the whole last second is included.
    ...(to === undefined ? [] : [`created_at < ${statement.value(new Date(to.getTime() + 1000))}`]),
  ];
  return conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
}

const sortColumns: Readonly<Record<OrderField, string>> = {
  createTime: "created_at",
  payTime: "paid_at",
  orderNo: "order_no",
  studentNo: "student_no",
  studentName: "student_name",
  amount: "amount_fen",
  status: "status",
};

export function listOrders(
  db: Db,
  filter: OrderFilter,
  order: ListOrder<OrderField>,
): Promise<PageWithTotal<OrderRow>> {
  const statement = startStatement();
  const where = toConditions(statement, filter);
  return listPage(db, statement, { table: "tuition_payment.pay_order", columns, where, sortColumns }, order);
}

export async function sumRefunded(db: Db, filter: OrderFilter): Promise<number> {
  const statement = startStatement();
  const where = toConditions(statement, filter);
  const text = `select coalesce(sum(refunded_fen), 0)::bigint as fen from tuition_payment.pay_order ${where}`;
  const [row] = await statement.run<{ fen: number }>(db, text);
  return row?.fen ?? 0;
}

export function streamOrders(db: Db, filter: OrderFilter): AsyncIterable<OrderRow[]> {
  const statement = startStatement();
  const where = toConditions(statement, filter);
  const text = `select ${columns} from tuition_payment.pay_order ${where} order by id desc`;
  return statement.stream<OrderRow>(db, text, 500);
}

export const payablesOf = (orderId: number): Fragment =>
  sql`payable.id in (select payable_id from tuition_payment.order_item where order_id = ${orderId})`;

/**
 * Locks the payables by ascending id. Locking is a separate statement, since only the statement after it sees what
 * others committed while it waited.
 */
export async function lockPayables(tx: Db, orderNo: string): Promise<void> {
  await tx`
    select from tuition_payment.payable where id in (
      select payable_id from tuition_payment.order_item join tuition_payment.pay_order on pay_order.id = order_id
      where order_no = ${orderNo})
    order by id for update`;
}

/**
 * Lists the items that a closed order cannot get back, because another order has them or the amount due has changed.
 * The caller must have locked the payables.
 */
export const listLate = async (tx: Db, orderId: number): Promise<{ readonly isDecided: boolean }[]> =>
  tx<{ isDecided: boolean }[]>`
    select exists (select from tuition_payment.adjustment as standing
      where standing.payable_id = own.payable_id and standing.undone_at is null and own.name = any(standing.item_names)
    ) as "isDecided"
    from tuition_payment.order_item as own
    where own.order_id = ${orderId} and (
      exists (select from tuition_payment.order_item as other
        where other.payable_id = own.payable_id and other.name = own.name and other.state in ('held', 'paid'))
      or not exists (select from tuition_payment.payable, unnest(item_names, item_fen) as item (name, fen)
        where payable.id = own.payable_id and item.name = own.name and ${sql.raw(dueOfItem)} = own.amount_fen))`;
