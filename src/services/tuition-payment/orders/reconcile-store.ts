import type * as z from "zod";
import type { ListOrder } from "#platform/contract/sorting.ts";
import { copyIn, type PageWithTotal, type Db, listPage, startStatement, toCopyLine } from "#platform/database/index.ts";
import type { GatewayName, Paid, RefundReference, StatementRow } from "#services/tuition-payment/gateways/gateway.ts";
import type { reconciled, ReconciliationField, reconciliationRow } from "./contract.ts";

const copyRows = 1000;

async function storeStatement(
  tx: Db,
  gateway: GatewayName,
  date: string,
  rows: readonly StatementRow[],
): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`statement of ${gateway} ${date}`}, 0))`;
  await tx`delete from tuition_payment.statement_row where gateway = ${gateway} and day = ${date}::date`;
  await tx`
    insert into tuition_payment.statement (gateway, day) values (${gateway}, ${date}::date) on conflict do nothing`;
  const toLine = ({ orderNo, tradeNo, amountFen, at, ...row }: StatementRow): string => {
    const [refundNo, fen] = row.kind === "refund" ? [row.refundNo, -amountFen] : ["", amountFen];
    return toCopyLine([gateway, date, orderNo, refundNo, tradeNo, fen, at.toISOString()]);
  };
  function* listPieces() {
    for (let start = 0; start < rows.length; start += copyRows)
      yield rows
        .slice(start, start + copyRows)
        .map(toLine)
        .join("");
  }
  const columns = "gateway, day, order_no, refund_no, trade_no, amount_fen, at";
  await copyIn(tx, `tuition_payment.statement_row (${columns})`, listPieces());
}

/**
 * Lists the last day, even if it has a statement, and those of the `most` - 1 days before it that lack a statement and
 * are not before the gateway's first order.
 */
export const listMissedDays = async (db: Db, gateway: GatewayName, last: string, most: number): Promise<string[]> =>
  db.values<string>`
    select to_char(day, 'YYYY-MM-DD') as date
    from generate_series(0, ${most - 1}::int) as ago cross join lateral (select ${last}::date - ago as day) as one
    where ago = 0 or (
      not exists (select from tuition_payment.statement where gateway = ${gateway} and statement.day = one.day)
      and exists (select from tuition_payment.pay_order
        where gateway = ${gateway} and created_at < (one.day + 1)::timestamp at time zone 'Asia/Shanghai'))
    order by day`;

export type Comparison = Omit<z.output<typeof reconciled>, "date" | "gateway">;

// A gateway's day is in Beijing time. Rows of a statement are matched with our records of any day, since clocks differ
// around midnight. Our records of the day are "short" only if no stored statement has them. If an order has several
// payments, one is matched: by transaction number, or by amount, or the first. The other payments are "long".
const compare = `
  with ours as (
    select order_no, '' as refund_no, trade_no, coalesce(received_fen, amount_fen) as amount_fen, paid_at as at
    from tuition_payment.pay_order where gateway = $1 and paid_at is not null
    union all
    select o.order_no, r.refund_no, r.trade_no, -r.amount_fen, r.done_at
    from tuition_payment.refund r join tuition_payment.pay_order o on o.id = r.order_id
    where o.gateway = $1 and r.done_at is not null and r.evidence is null),
  told as (
    select day, order_no, refund_no, trade_no, sum(amount_fen)::bigint as amount_fen, min(at) as at
    from tuition_payment.statement_row as row
    where gateway = $1 and order_no in (
      select order_no from tuition_payment.statement_row where gateway = $1 and day = $2::date)
    group by day, order_no, refund_no, trade_no, case when trade_no is null then row.ctid end),
  ranked as (
    select told.*, ours.amount_fen as our_fen, case
      when told.refund_no <> '' or told.trade_no = first_value(told.trade_no) over best then 1
      else row_number() over best end as place
    from told left join ours using (order_no, refund_no)
    window best as (partition by told.order_no, told.refund_no order by (told.trade_no = ours.trade_no) is true desc,
      told.amount_fen = ours.amount_fen desc, told.day, told.at, told.trade_no
      rows between unbounded preceding and unbounded following)),
  both_sides as (
    select day, order_no, refund_no, trade_no, case when place = 1 then our_fen end as our_fen, amount_fen as their_fen
    from ranked where day = $2::date or place > 1
    union all
    select $2::date, order_no, refund_no, trade_no, amount_fen, null from ours
    where at >= $2::date::timestamp at time zone 'Asia/Shanghai'
      and at < ($2::date + 1)::timestamp at time zone 'Asia/Shanghai'
      and not exists (select from tuition_payment.statement_row as told
        where told.gateway = $1 and told.order_no = ours.order_no and told.refund_no = ours.refund_no))
  select day, order_no, refund_no, trade_no, our_fen, their_fen,
    case when our_fen is null then 'long' when their_fen is null then 'short'
      when our_fen <> their_fen then 'mismatch' else 'matched' end as type
  from both_sides`;

/**
 * Stores the statement and replaces the day's differences that are not handled yet. Handled differences stay, and are
 * not listed again unless the amounts change.
 */
export async function compareDay(
  tx: Db,
  gateway: GatewayName,
  date: string,
  rows: readonly StatementRow[],
): Promise<Comparison> {
  await storeStatement(tx, gateway, date, rows);
  await tx`
    delete from tuition_payment.difference
    where gateway = ${gateway} and day = ${date}::date and handled_at is null`;
  const [row] = await tx.query<Comparison>(
    `with found as materialized (${compare}),
     numbered as (
       select *, row_number() over (partition by day, order_no, refund_no, trade_no, type, our_fen, their_fen) as nth from found
       where type <> 'matched'),
     kept as (
       insert into tuition_payment.difference (gateway, day, order_no, refund_no, trade_no, our_fen, their_fen, type)
       select $1, day, order_no, refund_no, trade_no, our_fen, their_fen, type from numbered
       where nth > (
         select count(*) from tuition_payment.difference as old
         where old.gateway = $1 and old.day = numbered.day and old.order_no = numbered.order_no
           and old.refund_no = numbered.refund_no and old.type = numbered.type
           and old.trade_no is not distinct from numbered.trade_no
           and old.our_fen is not distinct from numbered.our_fen and old.their_fen is not distinct from numbered.their_fen)
       order by order_no, refund_no, trade_no)
     select count(*) filter (where type = 'matched') as matched, count(*) filter (where type = 'long') as long,
       count(*) filter (where type = 'short') as short, count(*) filter (where type = 'mismatch') as mismatch
     from found where day = $2::date`,
    [gateway, date],
  );
  if (!row) throw new Error("a count returned no row");
  await tx`
    update tuition_payment.statement set compared_at = now(), matched = ${row.matched}
    where gateway = ${gateway} and day = ${date}::date`;
  return row;
}

export interface ReconciledDay {
  readonly date: string;
  readonly gateway: GatewayName;
  readonly compareTime: Date | null;
  readonly isFetched: boolean;
  readonly matched: number | null;
  readonly open: number;
  readonly booked: number;
}

export const listReconciledDays = (db: Db, first: string, last: string) => db<ReconciledDay[]>`
  with fetched as (
    select gateway, day, compared_at, matched, true as is_fetched from tuition_payment.statement
    where day between ${first}::date and ${last}::date),
  differing as (
    select gateway, day, count(*)::int as open from tuition_payment.difference
    where day between ${first}::date and ${last}::date and handled_at is null group by 1, 2),
  moved as (
    select gateway, (at at time zone 'Asia/Shanghai')::date as day, count(*)::int as booked from tuition_payment.ledger
    where account = 'gateway' and at >= ${first}::date::timestamp at time zone 'Asia/Shanghai'
      and at < (${last}::date + 1)::timestamp at time zone 'Asia/Shanghai' group by 1, 2)
  select to_char(day, 'YYYY-MM-DD') as date, gateway, compared_at as "compareTime", is_fetched is true as "isFetched",
    matched, coalesce(open, 0) as open, coalesce(booked, 0) as booked
  from fetched full join differing using (gateway, day) full join moved using (gateway, day)
  order by day desc, gateway`;

/**
 * Records a difference for a second payment that the gateway has reported by query or notice, before the day's
 * statement shows the payment.
 */
export async function noteSecondPayment(
  tx: Db,
  gateway: GatewayName,
  orderNo: string,
  { tradeNo, amountFen, paidAt }: Paid,
): Promise<void> {
  await tx`
    insert into tuition_payment.difference (gateway, day, order_no, refund_no, trade_no, their_fen, type)
    select ${gateway}, (${paidAt}::timestamptz at time zone 'Asia/Shanghai')::date, ${orderNo}, '', ${tradeNo}, ${amountFen}, 'long'
    where not exists (
      select from tuition_payment.difference
      where gateway = ${gateway} and order_no = ${orderNo} and refund_no = '' and trade_no = ${tradeNo})`;
}

/**
 * Returns true only if the statements of the request's day and of the next day are stored, both days are over, and no
 * stored statement has the refund.
 */
export async function isInNoStatement(
  db: Db,
  gateway: GatewayName,
  { refundNo, requestedAt }: Pick<RefundReference, "refundNo" | "requestedAt">,
): Promise<boolean> {
  const [row] = await db<{ days: number; rows: number }[]>`
    select count(*)::int as days, (
        select count(*)::int from tuition_payment.statement_row where gateway = ${gateway} and refund_no = ${refundNo}) as rows
    from tuition_payment.statement, (
      select (${requestedAt}::timestamptz at time zone 'Asia/Shanghai')::date as first) as asked
    where gateway = ${gateway} and day in (first, first + 1) and first + 1 < (now() at time zone 'Asia/Shanghai')::date`;
  return row?.days === 2 && row.rows === 0;
}

export interface LongRow {
  readonly orderNo: string;
  readonly refundNo: string;
  readonly tradeNo: string | null;
  readonly theirFen: number;
  readonly at: Date;
}

export const listLongToAsk = (db: Db, gateway: GatewayName, date: string) => db<LongRow[]>`
  select distinct on (d.order_no, d.refund_no) d.order_no as "orderNo", d.refund_no as "refundNo", d.trade_no as "tradeNo",
    d.their_fen as "theirFen", told.at
  from tuition_payment.difference as d join tuition_payment.pay_order as o using (order_no, gateway)
    join tuition_payment.statement_row as told using (gateway, day, order_no, refund_no)
  where d.gateway = ${gateway} and d.day = ${date}::date and d.type = 'long' and d.handled_at is null and (
    (d.refund_no = '' and o.status in ('paying', 'closed'))
    or exists (select from tuition_payment.refund as r where r.order_id = o.id and r.refund_no = d.refund_no
      and r.status in ('running', 'failed')))
  order by d.order_no, d.refund_no`;

/**
 * Closes the order's "long" differences whose money has been booked in the meantime. If the order has several payments,
 * only the difference of the booked payment is closed. A refund that was returned outside the gateway is not booked as
 * the gateway's.
 */
export async function closeSettled(db: Db, orderNo: string): Promise<void> {
  await db`
    update tuition_payment.difference as d set handled_at = now(), note = '已核实入账'
    from tuition_payment.pay_order as o
    where d.order_no = ${orderNo} and o.order_no = d.order_no and o.gateway = d.gateway and d.type = 'long'
      and d.handled_at is null and case when d.refund_no = ''
        then o.paid_at is not null and coalesce(o.received_fen, o.amount_fen) = d.their_fen and (d.trade_no = o.trade_no
          or (select bool_or(told.trade_no is not distinct from d.trade_no)
              and count(distinct told.trade_no) + count(*) filter (where told.trade_no is null) = 1
            from tuition_payment.statement_row as told
            where told.gateway = d.gateway and told.order_no = d.order_no and told.refund_no = ''))
        else exists (select from tuition_payment.refund as r where r.order_id = o.id and r.refund_no = d.refund_no
          and r.done_at is not null and r.evidence is null and r.amount_fen = -d.their_fen) end`;
}

export const takeSecondPayment = (
  tx: Db,
  id: number,
  note: string,
  by: string,
): Promise<{ tradeNo: string | null; amountFen: number } | undefined> =>
  tx.first<{ tradeNo: string | null; amountFen: number }>`
    update tuition_payment.difference set note = ${note}, handled_at = now(), handled_by = ${by}
    where id = ${id} and handled_at is null and type = 'long' and refund_no = ''
      and tuition_payment.is_second_payment(gateway, order_no, trade_no)
    returning trade_no as "tradeNo", their_fen as "amountFen"`;

export async function releaseSecondPayment(tx: Db, orderNo: string, tradeNo: string): Promise<void> {
  await tx`
    update tuition_payment.difference set note = null, handled_at = null, handled_by = null
    where id = (select id from tuition_payment.difference
      where order_no = ${orderNo} and refund_no = '' and type = 'long' and coalesce(trade_no, '') = ${tradeNo}
        and handled_by is not null order by handled_at desc limit 1)`;
}

export type ReconciliationRow = Omit<z.output<typeof reconciliationRow>, "ourAmount" | "theirAmount"> & {
  readonly ourFen: number | null;
  readonly theirFen: number | null;
};

export type ReconciliationFilter = {
  readonly [F in "date" | "gateway" | "type" | "orderNo" | "handled"]?: ReconciliationRow[F] | undefined;
};

const sortColumns: Readonly<Record<ReconciliationField, string>> = { id: "id", date: "day", orderNo: "order_no" };

const columns = `
  id, to_char(day, 'YYYY-MM-DD') as date, gateway, order_no as "orderNo", trade_no as "tradeNo", our_fen as "ourFen",
  their_fen as "theirFen", type, handled_at is not null as handled, note`;

export function listDifferences(
  db: Db,
  { date, gateway, type, orderNo, handled }: ReconciliationFilter,
  page: ListOrder<ReconciliationField>,
): Promise<PageWithTotal<ReconciliationRow>> {
  const statement = startStatement();
  const where = [
    "where true",
    ...(date === undefined ? [] : [`day = ${statement.value(date)}::date`]),
    ...(gateway === undefined ? [] : [`gateway = ${statement.value(gateway)}`]),
    ...(type === undefined ? [] : [`type = ${statement.value(type)}`]),
    ...(orderNo === undefined ? [] : [`order_no = ${statement.value(orderNo)}`]),
    ...(handled === undefined ? [] : [`handled_at is ${handled ? "not null" : "null"}`]),
  ].join(" and ");
  return listPage(db, statement, { table: "tuition_payment.difference", columns, where, sortColumns }, page);
}

export async function handleDifference(
  tx: Db,
  id: number,
  note: string,
  by: string,
): Promise<"done" | "gone" | "handled"> {
  const rows = await tx`
    update tuition_payment.difference set note = ${note}, handled_at = now(), handled_by = ${by}
    where id = ${id} and handled_at is null
    returning 1`;
  if (rows.length === 1) return "done";
  const known = await tx`select from tuition_payment.difference where id = ${id}`;
  return known.length === 1 ? "handled" : "gone";
}
