import type { Db } from "#platform/database/index.ts";
import type { BookCheck } from "#platform/process/service.ts";

/** The ledger's money against the orders, refunds and items that it is the money of, in fen. */
export async function checkBooks(db: Db): Promise<BookCheck[]> {
  const [row] = await db<
    {
      unbalanced: number;
      received: number;
      paid: number;
      givenBack: number;
      refunded: number;
      tuition: number;
      items: number;
    }[]
  >`
    select
      (select count(*) from (select from tuition_payment.ledger group by posting having sum(amount_fen) <> 0) as wrong)
        as unbalanced,
      (select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.ledger
        where what = 'payment' and account = 'gateway') as received,
      (select coalesce(sum(coalesce(received_fen, amount_fen)), 0)::bigint from tuition_payment.pay_order
        where paid_at is not null) as paid,
      (select -coalesce(sum(amount_fen), 0)::bigint from tuition_payment.ledger
        where what = 'refund' and account = 'gateway') as "givenBack",
      (select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.refund where done_at is not null) as refunded,
      (select -coalesce(sum(amount_fen), 0)::bigint from tuition_payment.ledger where account = 'tuition') as tuition,
      (select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.order_item where state = 'paid') as items`;
  if (!row) return [];
  return [
    { what: "postings of the ledger that do not balance", expected: 0, found: row.unbalanced },
    { what: "fen paid by orders, as the ledger has them", expected: row.paid, found: row.received },
    { what: "fen refunded, as the ledger has them", expected: row.refunded, found: row.givenBack },
    { what: "fen of items that are paid, as the ledger has them", expected: row.items, found: row.tuition },
  ];
}
