import { Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import {
  type Gateway,
  GatewayError,
  type GatewayName,
  type Paid,
  type Payment,
  type Refund,
} from "#services/tuition-payment/gateways/gateway.ts";
import { settlePayables } from "#services/tuition-payment/due-store.ts";
import { closeOrder, markPaid, markSurplus, noteReceived } from "./change-store.ts";
import { type Desk, makeRefundNo, toReference } from "./desk.ts";
import { beginCall, endCall, failCall } from "./history-store.ts";
import { post } from "./ledger-store.ts";
import { listLate, lockOrder, lockPayables, type OrderHead, payablesOf } from "./order-store.ts";
import { noteSecondPayment } from "./reconcile-store.ts";
import { endRefund, failRefund, insertRefund } from "./refund-store.ts";
import { askAgainAfterSeconds } from "./rules.ts";

/**
 * What became of what a gateway says. `decided`, `second` (payment of a paid order) and `refundFailed` wait for a person; `known`
 * and `nothing` change nothing; the last three are refusals.
 */
export type Settled =
  | "paid"
  | "surplus"
  | "decided"
  | "second"
  | "refunded"
  | "refundFailed"
  | "known"
  | "nothing"
  | "orderNotFound"
  | "otherGateway"
  | "amountWrong";

/**
 * Takes what a gateway says of an order, which is believed by now, in the transaction at hand. As often as it is said,
 * and by however many at once, money is booked once.
 */
export async function settlePayment(
  tx: Db,
  platform: Platform,
  { orderNo, gateway, payment, by }: { orderNo: string; gateway: GatewayName; payment: Payment; by: string },
): Promise<Settled> {
  const [order] = await Promise.all([lockOrder(tx, orderNo), lockPayables(tx, orderNo)]);
  if (!order) return "orderNotFound";
  if (order.gateway !== gateway) return "otherGateway";
  if (payment.state !== "paid") return "nothing";
  if (isSecond(order, payment)) {
    await noteSecondPayment(tx, gateway, orderNo, payment);
    return "second";
  }
  if (payment.amountFen !== order.amountFen) {
    if (payment.amountFen > 0) await noteReceived(tx, order.id, payment.amountFen);
    return "amountWrong";
  }
  const from = order.status;
  if (from !== "paying" && from !== "closed") return "known";
  const late = from === "closed" ? await listLate(tx, order.id) : [];
  if (late.length > 0) {
    // The transfer that a person has taken for the payment may be this very money.
    if (late.some(({ isDecided }) => isDecided)) {
      await noteReceived(tx, order.id, payment.amountFen);
      return "decided";
    }
    await giveBackByRule(tx, platform, order, payment);
    return "surplus";
  }
  // They leave together: each works on what the one before it has written.
  const [isPaid] = await Promise.all([
    markPaid(tx, order.id, from, payment, by),
    post(tx, "paid", { orderId: order.id, gateway, amountFen: order.amountFen }),
    settlePayables(tx, payablesOf(order.id)),
  ]);
  if (!isPaid) throw new Error("a locked order has changed its state");
  return "paid";
}

/** One that has been paid has one number at its gateway; another number is that of another payment. */
const isSecond = ({ status, tradeNo }: OrderHead, paid: Paid): boolean =>
  (status === "paid" || status === "refunding" || status === "refunded") &&
  tradeNo !== null &&
  paid.tradeNo !== null &&
  paid.tradeNo !== tradeNo;

/** Books what came as owed back, whatever the amount; the items are free for others. False: it is settled by now. */
export async function bookSurplus(
  tx: Db,
  { id, status, gateway }: OrderHead,
  payment: Paid,
  by: string,
): Promise<boolean> {
  if (gateway === null || (status !== "paying" && status !== "closed")) return false;
  if (!(await markSurplus(tx, id, status, payment, by))) return false;
  await post(tx, "surplus", { orderId: id, gateway, amountFen: payment.amountFen });
  return true;
}

/** Money that pays for nothing, and about which nobody has decided, goes back by itself. */
async function giveBackByRule(tx: Db, platform: Platform, order: OrderHead, payment: Paid): Promise<void> {
  if (!(await bookSurplus(tx, order, payment, "twice"))) return;
  await insertRefund(tx, {
    orderId: order.id,
    refundNo: makeRefundNo(platform),
    status: "running",
    amountFen: payment.amountFen,
    reason: "重复缴费",
    isSurplus: true,
    askedBy: null,
  });
}

/** Takes what a gateway says of a refund: that it has done it, or will not; anything else changes nothing. */
export async function settleRefund(
  tx: Db,
  { orderNo, gateway, refundNo, refund }: { orderNo: string; gateway: GatewayName; refundNo: string; refund: Refund },
): Promise<Settled> {
  const [order] = await Promise.all([lockOrder(tx, orderNo), lockPayables(tx, orderNo)]);
  if (!order) return "orderNotFound";
  if (order.gateway !== gateway) return "otherGateway";
  const { id: orderId } = order;
  if (refund.state === "failed") {
    const failed = await failRefund(tx, orderId, refundNo, refund.reason.slice(0, 500));
    if (!failed) return "known";
    if (!failed.isSurplus)
      await post(tx, "kept", { orderId, refundId: failed.id, gateway, amountFen: failed.amountFen });
    return "refundFailed";
  }
  if (refund.state !== "done") return "nothing";
  const ended = await endRefund(tx, orderId, refundNo, refund);
  if (!ended) return "known";
  const posting = ended.hadFailed && !ended.isSurplus ? "returnedAfterAll" : "returned";
  await Promise.all([
    post(tx, posting, { orderId, refundId: ended.id, gateway, amountFen: refund.amountFen }),
    settlePayables(tx, payablesOf(orderId)),
  ]);
  return "refunded";
}

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

/**
 * Closes an order that may be paid this very moment: asks, closes at the gateway where that can be done, and asks again.
 * Some money is late even then, so it is asked about once more later. @throws GatewayError, and leaves it as it is.
 */
export async function closePaying(
  desk: Desk,
  gateway: Gateway,
  order: OrderHead,
  by: string,
): Promise<"closed" | "paid" | "changed"> {
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
const isFoundPaid = async (desk: Desk, gateway: Gateway, order: OrderHead): Promise<boolean> =>
  (await askPayment(desk, gateway, order, "query")).state === "paid";
