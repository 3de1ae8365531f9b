import type { Db } from "#platform/database/index.ts";
import type { BookCheck } from "#platform/process/service.ts";
import type { GatewayName } from "#services/tuition-payment/gateways/gateway.ts";

export type LedgerAccount = "gateway" | "tuition" | "surplus";

interface Posting {
  readonly what: "payment" | "refundDue" | "refund";
  readonly orderId: number;
  readonly refundId: number | null;
  readonly gateway: GatewayName;
  readonly amountFen: number;
  /** To this account is added what is taken from the other. */
  readonly to: LedgerAccount;
  readonly from: LedgerAccount;
}

async function post(tx: Db, { what, orderId, refundId, gateway, amountFen, to, from }: Posting): Promise<void> {
  await tx`
    with next as (select nextval('tuition_payment.posting') as posting)
    insert into tuition_payment.ledger (posting, order_id, refund_id, what, account, gateway, amount_fen)
    select posting, ${orderId}, ${refundId}, ${what}, line.account, ${gateway}, line.fen
    from next, unnest(${[to, from]}::text[], ${[amountFen, -amountFen]}::bigint[]) as line (account, fen)`;
}

type Money = Pick<Posting, "orderId" | "gateway" | "amountFen">;

/** Money came: for items, or for nothing that is still to be paid. A second time breaks ledger_payment_once. */
export const postPayment = (tx: Db, money: Money, from: "tuition" | "surplus"): Promise<void> =>
  post(tx, { ...money, what: "payment", refundId: null, to: "gateway", from });

/** What was paid for items is owed back. */
export const postRefundDue = (tx: Db, money: Money, refundId: number): Promise<void> =>
  post(tx, { ...money, what: "refundDue", refundId, to: "tuition", from: "surplus" });

/** The gateway has given back what was owed. */
export const postRefund = (tx: Db, money: Money, refundId: number): Promise<void> =>
  post(tx, { ...money, what: "refund", refundId, to: "surplus", from: "gateway" });

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
