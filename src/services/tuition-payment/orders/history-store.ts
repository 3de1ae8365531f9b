import { createHash } from "node:crypto";
import type * as z from "zod";
import type { Timed } from "#platform/contract/times.ts";
import { type Db, sql, startStatement } from "#platform/database/index.ts";
import type { GatewayName, RawNotice } from "#services/tuition-payment/gateways/gateway.ts";
import { choosePayables, type PayableFilter } from "#services/tuition-payment/payable-store.ts";
import type { orderEvent, orderFigures, orderHistory, orderTotals } from "./contract.ts";
import { mismatched } from "./order-store.ts";

type History = z.output<typeof orderHistory>;
type Stored<T, Renamed extends keyof T, As> = Timed<Omit<T, Renamed> & As>;
type CallRow = Timed<History["calls"][number]>;

export const listEvents = (db: Db, orderId: number) => db<Timed<z.output<typeof orderEvent>>[]>`
  select at as time, from_status as "from", to_status as "to", by from tuition_payment.order_event
  where order_id = ${orderId} order by id`;

const mostRows = 1000;

export async function listCalls(db: Db, orderId: number): Promise<CallRow[]> {
  const rows = await db<CallRow[]>`
    select started_at as time, ended_at as "endTime", gateway, call, refund_no as "refundNo", outcome
    from tuition_payment.gateway_call where order_id = ${orderId} order by id desc limit ${mostRows}`;
  return rows.toReversed();
}

export const listNotices = (db: Db, orderNo: string) => db<
  Stored<History["notices"][number], "message", { readonly body: Buffer }>[]
>`
  select received_at as time, gateway, times, outcome, body from tuition_payment.notice
  where order_no = ${orderNo} order by id limit ${mostRows}`;

export const listRefundWords = (db: Db, orderId: number) => db<Timed<History["refunds"][number]>[]>`
  select refund_no as "refundNo", done_at as "doneTime", trade_no as "tradeNo", failure, asked_by as by,
    decided_by as "decidedBy", ended_by as "endedBy", evidence, second_trade as "secondTrade" from tuition_payment.refund
  where order_id = ${orderId} order by id`;

export const listLedger = (db: Db, orderId: number) => db<
  Stored<History["ledger"][number], "amount", { readonly amountFen: number }>[]
>`
  select at as time, posting, what, account, amount_fen as "amountFen" from tuition_payment.ledger
  where order_id = ${orderId} order by id`;

type TotalsRow = Stored<
  z.output<typeof orderTotals>["grades"][number],
  "dueAmount" | "orderAmount" | "decidedAmount",
  { readonly dueFen: number; readonly orderFen: number; readonly decidedFen: number }
>;

export async function sumTotals(db: Db, filter: PayableFilter): Promise<TotalsRow[]> {
  const statement = startStatement();
  const where = choosePayables(statement, filter);
  return statement.run<TotalsRow>(
    db,
    `with paid as (
      select payable_id, sum(amount_fen)::bigint as fen from tuition_payment.order_item where state = 'paid' group by 1),
    adjusted as (
      select payable_id, sum(part)::bigint as fen from tuition_payment.adjustment, unnest(item_fen) as part
      where undone_at is null group by 1)
    select grade, years, count(*) as payables, count(*) filter (where paid_by is not null) as "paidPayables",
      sum(amount_fen)::bigint as "dueFen", coalesce(sum(paid.fen), 0)::bigint as "orderFen",
      coalesce(sum(adjusted.fen), 0)::bigint as "decidedFen"
    from tuition_payment.payable left join paid on paid.payable_id = payable.id
      left join adjusted on adjusted.payable_id = payable.id
    ${where} group by grade, years order by years desc, grade`,
  );
}

type FiguresRow = Stored<z.output<typeof orderFigures>, "amountToday", { readonly fenToday: number }>;

const mismatchedOrders = sql`(select count(*) from tuition_payment.pay_order where ${sql.raw(mismatched)})`;

export async function countFigures(db: Db, zone: string): Promise<FiguresRow> {
  const [row] = await db<[FiguresRow]>`
    select (select count(*) from tuition_payment.pay_order where status in ('created', 'paying')) as "openOrders",
      today.orders as "paidToday", today.fen as "fenToday",
      (select count(*) from tuition_payment.pay_order where status = 'refunding') as "runningRefunds",
      (select count(*) from tuition_payment.difference where handled_at is null) as "unhandledRows",
      ${mismatchedOrders} as "mismatchedOrders"
    from (select count(*) as orders, coalesce(sum(coalesce(received_fen, amount_fen)), 0)::bigint as fen from tuition_payment.pay_order
      where paid_at >= date_trunc('day', now() at time zone ${zone}) at time zone ${zone}) as today`;
  return row;
}

/** @param failingSeconds the age at which an unfinished refund with a failed attempt counts as failing */
export async function readHealthFigures(db: Db, failingSeconds: number) {
  const [row] = await db<
    [{ overdueSeconds: number; failingRefunds: number; mismatchedOrders: number; lastStatement: string | null }]
  >`
    select greatest(0, coalesce(extract(epoch from now() - (select min(due_at) from tuition_payment.pay_order)), 0))::int
        as "overdueSeconds",
      (select count(*) from tuition_payment.refund where status = 'running' and failure is not null
        and requested_at < now() - make_interval(secs => ${failingSeconds}::float8)) as "failingRefunds",
      ${mismatchedOrders} as "mismatchedOrders",
      (select to_char(max(day), 'YYYY-MM-DD') from tuition_payment.statement) as "lastStatement"`;
  return row;
}

interface Tried {
  readonly gateway: GatewayName;
  readonly lastPayment: Date | null;
  readonly lastRefund: Date | null;
  readonly lastStatement: string | null;
}

/**
 * Lists, for each gateway, the last time that it took a payment, that it made a refund and that its statement contained
 * one of this server's orders; null if never.
 */
export const listTried = (db: Db, gateways: readonly GatewayName[]) => db<Tried[]>`
  select gateway,
    (select paid_at from tuition_payment.pay_order as o where o.gateway = given.gateway and paid_at is not null
     order by paid_at desc limit 1) as "lastPayment",
    (select r.done_at from tuition_payment.refund r join tuition_payment.pay_order o on o.id = r.order_id
     where o.gateway = given.gateway and r.done_at is not null order by r.done_at desc limit 1) as "lastRefund",
    (select to_char(told.day, 'YYYY-MM-DD') from tuition_payment.statement_row told
     join tuition_payment.pay_order o on o.order_no = told.order_no and o.gateway = told.gateway
     where told.gateway = given.gateway order by told.day desc limit 1) as "lastStatement"
  from unnest(${gateways}::text[]) as given (gateway)`;

/** Logs a call to a gateway. The row must be committed before the call is made. */
export const beginCall = async (
  db: Db,
  {
    orderId,
    gateway,
    call,
    refundNo = "",
  }: { orderId: number; gateway: GatewayName; call: CallRow["call"]; refundNo?: string },
): Promise<number> =>
  db.value<number>`
    insert into tuition_payment.gateway_call (order_id, gateway, call, refund_no)
    values (${orderId}, ${gateway}, ${call}, nullif(${refundNo}, '')) returning id`;

export const wasSentBefore = async (db: Db, refundNo: string, callId: number): Promise<boolean> =>
  (await db.count`
    select from tuition_payment.gateway_call
    where refund_no = ${refundNo} and call = 'refund' and id < ${callId} limit 1`) > 0;

export async function endCall(db: Db, id: number, outcome: string): Promise<void> {
  await db.send`update tuition_payment.gateway_call set ended_at = now(), outcome = ${outcome} where id = ${id}`;
}

/** Logs the failure. If the call was to start a payment, the gateway's claim on the order is released. */
export async function failCall(db: Db, id: number, outcome: string): Promise<void> {
  await db`
    with ended as (
      update tuition_payment.gateway_call set ended_at = now(), outcome = ${outcome} where id = ${id}
      returning order_id, gateway, call
    )
    update tuition_payment.pay_order set claimed_gateway = null, claimed_until = null from ended
    where call = 'pay' and id = order_id and status = 'created' and claimed_gateway = ended.gateway`;
}

export const wasAskedWithin = async (db: Db, orderId: number, seconds: number): Promise<boolean> =>
  (await db.count`
    select from tuition_payment.gateway_call
    where order_id = ${orderId} and call = 'query' and started_at > now() - make_interval(secs => ${seconds}::float8)
    limit 1`) > 0;

export async function keepNotice(
  tx: Db,
  gateway: GatewayName,
  orderNo: string,
  { body, headers }: RawNotice,
  outcome: string,
): Promise<void> {
  const hash = createHash("sha256").update(body).digest();
  await tx.send`
    insert into tuition_payment.notice as known (gateway, order_no, body_hash, body, headers, outcome)
    values (${gateway}, ${orderNo}, ${hash}, ${body}, ${JSON.stringify(headers)}::jsonb, ${outcome})
    on conflict (gateway, body_hash) do update set times = known.times + 1`;
}

export const listOpenDifferences = (db: Db) =>
  db<{ gateway: string; rows: number; firstDay: string }[]>`
    select gateway, count(*) as rows, to_char(min(day), 'YYYY-MM-DD') as "firstDay"
    from tuition_payment.difference where handled_at is null group by gateway order by gateway`;
