import type * as z from "zod";
import type { ListOrder } from "#platform/contract/sorting.ts";
import { copyIn, type Counted, type Db, listPage, startStatement, toCopyLine } from "#platform/database/index.ts";
import type { GatewayName, StatementRow } from "#services/tuition-payment/gateways/gateway.ts";
import type { reconciled, ReconciliationField, reconciliationRow } from "./contract.ts";

const copyRows = 1000;

/** Keeps a day's statement in place of the one before. Two of one day and gateway come one after the other. */
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

/** The last day, and of the days before it those without a statement on which the gateway had an order already. */
export async function listMissedDays(db: Db, gateway: GatewayName, last: string, most: number): Promise<string[]> {
  const rows = await db<{ date: string }[]>`
    select to_char(day, 'YYYY-MM-DD') as date
    from generate_series(0, ${most - 1}::int) as ago cross join lateral (select ${last}::date - ago as day) as one
    where ago = 0 or (
      not exists (select from tuition_payment.statement where gateway = ${gateway} and statement.day = one.day)
      and exists (select from tuition_payment.pay_order
        where gateway = ${gateway} and created_at < (one.day + 1)::timestamp at time zone 'Asia/Shanghai'))
    order by day`;
  return rows.map(({ date }) => date);
}

export type Comparison = Omit<z.output<typeof reconciled>, "date" | "gateway">;

// A gateway's day is that of Beijing. What is theirs is looked for among all that is ours, of whatever day: at midnight
// the two clocks differ. What is ours of the day is short only where no statement has it.
const compare = `
  with ours as (
    select order_no, '' as refund_no, trade_no, coalesce(received_fen, amount_fen) as amount_fen, paid_at as at
    from tuition_payment.pay_order where gateway = $1 and paid_at is not null
    union all
    select o.order_no, r.refund_no, r.trade_no, -r.amount_fen, r.done_at
    from tuition_payment.refund r join tuition_payment.pay_order o on o.id = r.order_id
    where o.gateway = $1 and r.done_at is not null),
  theirs as (
    select order_no, refund_no, min(trade_no) as trade_no, sum(amount_fen)::bigint as amount_fen
    from tuition_payment.statement_row where gateway = $1 and day = $2::date group by 1, 2),
  both_sides as (
    select order_no, refund_no, coalesce(theirs.trade_no, ours.trade_no) as trade_no, ours.amount_fen as our_fen,
      theirs.amount_fen as their_fen
    from theirs left join ours using (order_no, refund_no)
    union all
    select order_no, refund_no, trade_no, amount_fen, null from ours
    where at >= $2::date::timestamp at time zone 'Asia/Shanghai'
      and at < ($2::date + 1)::timestamp at time zone 'Asia/Shanghai'
      and not exists (select from tuition_payment.statement_row as told
        where told.gateway = $1 and told.order_no = ours.order_no and told.refund_no = ours.refund_no))
  select order_no, refund_no, trade_no, our_fen, their_fen,
    case when our_fen is null then 'long' when their_fen is null then 'short'
      when our_fen <> their_fen then 'mismatch' else 'matched' end as type
  from both_sides`;

/**
 * Keeps the day's statement, and compares it with the orders. What differs takes the place of what differed and nobody has decided
 * about; what somebody has decided about stays, and is not listed a second time while the amounts are the same.
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
     kept as (
       insert into tuition_payment.difference (gateway, day, order_no, refund_no, trade_no, our_fen, their_fen, type)
       select $1, $2::date, order_no, refund_no, trade_no, our_fen, their_fen, type from found
       where type <> 'matched' and not exists (
         select from tuition_payment.difference as old
         where old.gateway = $1 and old.day = $2::date and old.order_no = found.order_no
           and old.refund_no = found.refund_no and old.type = found.type
           and old.our_fen is not distinct from found.our_fen and old.their_fen is not distinct from found.their_fen
           and old.handled_at is not null)
       order by order_no, refund_no)
     select count(*) filter (where type = 'matched') as matched, count(*) filter (where type = 'long') as long,
       count(*) filter (where type = 'short') as short, count(*) filter (where type = 'mismatch') as mismatch from found`,
    [gateway, date],
  );
  if (!row) throw new Error("a count returned no row");
  return row;
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
): Promise<Counted<ReconciliationRow>> {
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

/** "gone": there is none of that id. "handled": somebody has decided before. */
export async function handleDifference(tx: Db, id: number, note: string): Promise<"done" | "gone" | "handled"> {
  const rows = await tx`
    update tuition_payment.difference set note = ${note}, handled_at = now() where id = ${id} and handled_at is null
    returning 1`;
  if (rows.length === 1) return "done";
  const known = await tx`select from tuition_payment.difference where id = ${id}`;
  return known.length === 1 ? "handled" : "gone";
}
