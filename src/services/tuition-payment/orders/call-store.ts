import type { Db } from "#platform/database/index.ts";
import type { GatewayName, RawNotice } from "#services/tuition-payment/gateways/gateway.ts";

export type CallName = "pay" | "query" | "close" | "refund" | "queryRefund";

export interface NewCall {
  readonly orderId: number;
  readonly gateway: GatewayName;
  readonly call: CallName;
  readonly refundNo?: string | undefined;
}

/** Written, and committed, before the call leaves. */
export async function beginCall(db: Db, { orderId, gateway, call, refundNo = "" }: NewCall): Promise<number> {
  const [row] = await db<{ id: number }[]>`
    insert into tuition_payment.gateway_call (order_id, gateway, call, refund_no)
    values (${orderId}, ${gateway}, ${call}, nullif(${refundNo}, '')) returning id`;
  if (!row) throw new Error("an insert returned no row");
  return row.id;
}

export async function endCall(db: Db, id: number, outcome: string): Promise<void> {
  await db`update tuition_payment.gateway_call set ended_at = now(), outcome = ${outcome} where id = ${id}`;
}

/** Whether the gateway was asked about the order just now. */
export async function wasAskedWithin(db: Db, orderId: number, seconds: number): Promise<boolean> {
  const rows = await db`
    select from tuition_payment.gateway_call
    where order_id = ${orderId} and call = 'query' and started_at > now() - make_interval(secs => ${seconds}::float8)
    limit 1`;
  return rows.length > 0;
}

/** Keeps a notice that the gateway has signed, as it came; of one that comes again, how often. */
export async function keepNotice(
  tx: Db,
  gateway: GatewayName,
  orderNo: string,
  { body, headers }: RawNotice,
  hash: Buffer,
  outcome: string,
): Promise<void> {
  await tx`
    insert into tuition_payment.notice as known (gateway, order_no, body_hash, body, headers, outcome)
    values (${gateway}, ${orderNo}, ${hash}, ${body}, ${JSON.stringify(headers)}::jsonb, ${outcome})
    on conflict (gateway, body_hash) do update set times = known.times + 1`;
}
