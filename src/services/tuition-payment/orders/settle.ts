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
 * "decided" (money for items that an adjustment has settled), "second" (a second payment), "refundFailed" and
 * "amountWrong" need a person's decision. "known" and "nothing" change nothing. For the last three values, the report
 * is refused.
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
 * Books a payment that a gateway reports; the caller must have verified the report. Repeated and concurrent reports
 * book the money once.
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
    // The person who made the adjustment may have taken this very money for a bank transfer, so a person must decide
    // again.
    if (late.some(({ isDecided }) => isDecided)) {
      await noteReceived(tx, order.id, payment.amountFen);
      return "decided";
    }
    await giveBackByRule(tx, platform, order, payment);
    return "surplus";
  }
  // The statements are pipelined, and each sees the effects of the previous ones.
  const [isPaid] = await Promise.all([
    markPaid(tx, order.id, from, payment, by),
    post(tx, "paid", { orderId: order.id, gateway, amountFen: order.amountFen }),
    settlePayables(tx, payablesOf(order.id)),
  ]);
  if (!isPaid) throw new Error("a locked order changed its state");
  return "paid";
}

/** A paid order has one transaction number, so a payment with another number is a second payment. */
const isSecond = ({ status, tradeNo }: OrderHead, paid: Paid): boolean =>
  (status === "paid" || status === "refunding" || status === "refunded") &&
  tradeNo !== null &&
  paid.tradeNo !== null &&
  paid.tradeNo !== tradeNo;

/**
 * Books a payment of any amount as surplus and releases the order's items. Returns false if the order is already
 * settled.
 */
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

/** Refunds surplus money automatically if no person has decided about the items. */
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
 * Calls the gateway, then stores the outcome and its effects in one transaction. The caller must have committed the log
 * row `callId` before, so that the row survives a crash during the call.
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
 * Closes the order at the gateway and here. The payer may be paying at this moment, so the gateway is queried before
 * and after the closing; a later query finds money that arrives even after that.
 * @throws GatewayError if the gateway fails, which leaves the order open here
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

/**
 * A payment of another amount does not settle the order, but an order with such a payment must not be closed as unpaid.
 */
const isFoundPaid = async (desk: Desk, gateway: Gateway, order: OrderHead): Promise<boolean> =>
  (await askPayment(desk, gateway, order, "query")).state === "paid";
