import type { Db } from "#platform/database/index.ts";

/**
 * Returns the order's receipt number. The first request assigns it, in the year of that request, so that payments do
 * not wait for the counter and past years get no more numbers. Counting and assigning are one statement, so there are
 * no gaps.
 * @param zone time zone of the years
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
