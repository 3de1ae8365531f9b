import { randomBytes } from "node:crypto";
import { inTransaction, type Pool } from "#platform/database/index.ts";
import type { SimulatedBooks, SimulatedTrade } from "#services/tuition-payment/gateways/simulated-page.ts";

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

async function readSecret(pool: Pool): Promise<string> {
  await pool`
    insert into tuition_payment.simulated_secret (secret) values (${randomBytes(32).toString("hex")})
    on conflict do nothing`;
  return pool.value<string>`select secret from tuition_payment.simulated_secret`;
}

export function openSimulatedBooks(pool: Pool): SimulatedBooks {
  let secret: string | undefined;
  return {
    readSecret: async () => (secret ??= await readSecret(pool)),

    find: (orderNo) =>
      pool.value<SimulatedTrade | undefined>`
        select trade from tuition_payment.simulated_trade where order_no = ${orderNo}`,

    change: (orderNo, change) =>
      inTransaction(pool, async (tx) => {
        await tx.send`select pg_advisory_xact_lock(hashtextextended(${`simulated trade ${orderNo}`}, 0))`;
        const before = await tx.value<SimulatedTrade | undefined>`
          select trade from tuition_payment.simulated_trade where order_no = ${orderNo}`;
        const trade = change(before);
        const lastRefundMs = trade.refunds.at(-1)?.doneAtMs ?? null;
        await tx`
        insert into tuition_payment.simulated_trade (order_no, trade, paid_at, last_refund_at)
        values (${orderNo}, ${JSON.stringify(trade)}::jsonb, ${toDate(trade.paidAtMs)}, ${toDate(lastRefundMs)})
        on conflict (order_no) do update set trade = excluded.trade, paid_at = excluded.paid_at,
          last_refund_at = excluded.last_refund_at`;
        return trade;
      }),

    // The result may include trades with refunds of other days; the caller filters them.
    listBetween: (startMs, endMs) =>
      pool.values<SimulatedTrade>`
        select trade from tuition_payment.simulated_trade
        where (paid_at >= ${new Date(startMs)} and paid_at < ${new Date(endMs)}) or last_refund_at >= ${new Date(startMs)}
        order by paid_at`,
  };
}
