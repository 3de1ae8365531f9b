import type { Db } from "#platform/database/index.ts";
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
