import { type Db, inTransaction } from "#platform/database/index.ts";
import type { Gateway } from "#services/tuition-payment/gateways/gateway.ts";
import { ask, askPayment } from "./asking.ts";
import { closeOrder, stopWatching, watchAfter } from "./change-store.ts";
import { type Desk, toReference } from "./desk.ts";
import type { OrderHead } from "./order-store.ts";
import { askAgainAfterSeconds } from "./rules.ts";

export type Closed = "closed" | "paid" | "changed";

/** Closes an order that no gateway knows of. */
export const closeCreated = ({ platform: { pool } }: Desk, order: OrderHead, by: string): Promise<Closed> =>
  inTransaction(pool, async (tx) => ((await closeOrder(tx, order.id, "created", by)) ? "closed" : "changed"));

/**
 * Closes an order that may be paid this very moment: asks, closes at the gateway where that can be done, and asks again.
 * Some money is late even then, so it is asked about once more later. @throws GatewayError, and leaves it as it is.
 */
export async function closePaying(desk: Desk, gateway: Gateway, order: OrderHead, by: string): Promise<Closed> {
  if (await isFoundPaid(desk, gateway, order)) return "paid";
  if (gateway.close) {
    const call = { orderId: order.id, gateway: gateway.name, call: "close" } as const;
    const close = gateway.close.bind(gateway);
    await ask(
      desk,
      call,
      () => close(toReference(order)),
      async () => undefined,
    );
  }
  if (await isFoundPaid(desk, gateway, order)) return "paid";
  return inTransaction(desk.platform.pool, async (tx) => endOpen(tx, order, by));
}

/** What came in another amount is not paid, and must not be closed as though nothing had come. */
async function isFoundPaid(desk: Desk, gateway: Gateway, order: OrderHead): Promise<boolean> {
  const { payment } = await askPayment(desk, gateway, order, "query");
  return payment.state === "paid";
}

async function endOpen(tx: Db, order: OrderHead, by: string): Promise<Closed> {
  if (!(await closeOrder(tx, order.id, "paying", by))) return "changed";
  await watchAfter(tx, order.id, askAgainAfterSeconds);
  return "closed";
}

export const forgetOrder = ({ platform: { pool } }: Desk, orderId: number): Promise<void> =>
  stopWatching(pool, orderId);
