import type { Db } from "#platform/database/index.ts";

/**
 * The number of an order's receipt, which is given when it is first asked for, in the year in which that is: payments need
 * not wait for one another at the count, and a year that is over gets no more. One statement, so that a number which
 * is counted is an order's too, and there is no gap. @param zone whose years these are
 */
export async function giveReceiptNo(db: Db, orderId: number, zone: string): Promise<string> {
  const [given] = await db<{ receiptNo: string }[]>`
    with wanted as materialized (
      select id from tuition_payment.pay_order where id = ${orderId} and receipt_no is null for update
    ), counted as (
      insert into tuition_payment.receipt_count as known (year, last)
      select extract(year from now() at time zone ${zone})::int, 1 from wanted
      on conflict (year) do update set last = known.last + 1 returning year, last
    )
    update tuition_payment.pay_order
    set receipt_no = 'R' || year || '-' || lpad(last::text, greatest(6, length(last::text)), '0')
    from wanted, counted where pay_order.id = wanted.id returning receipt_no as "receiptNo"`;
  if (given) return given.receiptNo;
  const [known] = await db<{ receiptNo: string | null }[]>`
    select receipt_no as "receiptNo" from tuition_payment.pay_order where id = ${orderId}`;
  if (!known?.receiptNo) throw new Error("an order has no receipt number");
  return known.receiptNo;
}
