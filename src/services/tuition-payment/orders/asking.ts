import { Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import {
  type Gateway,
  GatewayError,
  type GatewayName,
  type Payment,
} from "#services/tuition-payment/gateways/gateway.ts";
import { closeOrder } from "./change-store.ts";
import { type Desk, toReference } from "./desk.ts";
import { beginCall, endCall, failCall } from "./history-store.ts";
import type { OrderHead } from "./order-store.ts";
import { askAgainAfterSeconds } from "./rules.ts";
import { settlePayment } from "./settle.ts";

/**
 * Asks a gateway: the intent is committed before the call leaves, and the outcome is written with what follows from it,
 * in a transaction of its own. Of a process that dies between the two the intent tells.
 */
export async function ask<T extends { readonly state: string } | string, R>(
  { platform: { pool } }: Desk,
  callId: number,
  work: () => Promise<T>,
  apply: (tx: Db, said: T) => Promise<R>,
): Promise<R> {
  let said: T;
  try {
    said = await work();
  } catch (error) {
    await failCall(pool, callId, error instanceof GatewayError ? error.message.slice(0, 500) : "failed");
    throw error;
  }
  return inTransaction(pool, async (tx) => {
    await endCall(tx, callId, typeof said === "string" ? said : said.state);
    return apply(tx, said);
  });
}

/** Asks what became of an order, and takes what is said. @throws GatewayError */
export async function askPayment(desk: Desk, gateway: Gateway, order: OrderHead, by: string): Promise<Payment> {
  const call = { orderId: order.id, gateway: gateway.name, call: "query" } as const;
  return ask(
    desk,
    await beginCall(desk.platform.pool, call),
    () => gateway.query(toReference(order)),
    async (tx, payment) => {
      await settlePayment(tx, desk.platform, { orderNo: order.orderNo, gateway: gateway.name, payment, by });
      return payment;
    },
  );
}

const failedQuery = { ccb: "ccbQueryFailed", abc: "abcQueryFailed" } as const;

/** Runs what asks a gateway for a caller. @throws {Problem} for whatever the gateway failed with. */
export async function forCaller<T>(name: GatewayName, what: "pay" | "query", work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (what === "pay") throw new Problem(name === "wechat" ? "noPaymentParameters" : "outsideFailed");
    throw new Problem(name === "ccb" || name === "abc" ? failedQuery[name] : "outsideFailed");
  }
}

export type Closed = "closed" | "paid" | "changed";

/** Closes an order that no gateway knows of. */
export const closeCreated = async ({ platform: { pool } }: Desk, { id }: OrderHead): Promise<Closed> =>
  (await closeOrder(pool, id, "created", "student")) ? "closed" : "changed";

/**
 * Closes an order that may be paid this very moment: asks, closes at the gateway where that can be done, and asks again.
 * Some money is late even then, so it is asked about once more later. @throws GatewayError, and leaves it as it is.
 */
export async function closePaying(desk: Desk, gateway: Gateway, order: OrderHead, by: string): Promise<Closed> {
  if (await isFoundPaid(desk, gateway, order)) return "paid";
  if (gateway.close) {
    const call = await beginCall(desk.platform.pool, { orderId: order.id, gateway: gateway.name, call: "close" });
    const close = gateway.close.bind(gateway);
    await ask(
      desk,
      call,
      () => close(toReference(order)),
      async () => undefined,
    );
  }
  if (await isFoundPaid(desk, gateway, order)) return "paid";
  return (await closeOrder(desk.platform.pool, order.id, "paying", by, askAgainAfterSeconds)) ? "closed" : "changed";
}

/** What came in another amount is not paid, and must not be closed as though nothing had come. */
async function isFoundPaid(desk: Desk, gateway: Gateway, order: OrderHead): Promise<boolean> {
  return (await askPayment(desk, gateway, order, "query")).state === "paid";
}
