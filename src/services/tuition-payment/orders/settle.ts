import { explain, type Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { GatewayName, Payment, Refund } from "#services/tuition-payment/gateways/gateway.ts";
import { markPaid, markSurplus, noteReceived, settlePayables } from "./change-store.ts";
import { makeRefundNo } from "./desk.ts";
import { canTakeBack, lockOrder, lockPayables, type OrderHead } from "./order-store.ts";
import { endRefund, insertRefund, post } from "./refund-store.ts";

/**
 * What became of what a gateway says. `decided` waits for a person; `known` and `nothing` change nothing; the last three are
 * refusals.
 */
export type Settled =
  | "paid"
  | "surplus"
  | "decided"
  | "refunded"
  | "known"
  | "nothing"
  | "orderNotFound"
  | "otherGateway"
  | "amountWrong";

const isBefore = ({ status }: OrderHead): boolean => status === "created" || status === "paying" || status === "closed";

type Paid = Extract<Payment, { state: "paid" }>;

/**
 * Takes what a gateway says of an order, which is believed by now, in the transaction at hand. As often as it is said,
 * and by however many at once, money is booked once.
 */
export async function settlePayment(
  tx: Db,
  platform: Platform,
  { orderNo, gateway, payment, by }: { orderNo: string; gateway: GatewayName; payment: Payment; by: string },
): Promise<Settled> {
  const order = await lockOrder(tx, orderNo);
  if (!order) return "orderNotFound";
  if (order.gateway !== gateway) return "otherGateway";
  if (payment.state !== "paid") return "nothing";
  if (payment.amountFen !== order.amountFen) {
    if (payment.amountFen > 0) await noteReceived(tx, order.id, payment.amountFen);
    return "amountWrong";
  }
  if (!isBefore(order)) return "known";
  const payables = await lockPayables(tx, order.id);
  const from = order.status === "closed" ? "closed" : "paying";
  if (from === "closed" && !(await canTakeBack(tx, order.id))) {
    // The transfer that a person has taken for the payment may be this very money.
    if (payables.some(({ paidBy }) => paidBy === "decision")) {
      await noteReceived(tx, order.id, payment.amountFen);
      return "decided";
    }
    await giveBackAll(tx, platform, order, payment, { reason: "重复缴费", by: "twice" });
    return "surplus";
  }
  if (!(await markPaid(tx, order.id, from, payment, by))) return "known";
  await post(tx, "paid", { orderId: order.id, gateway, amountFen: order.amountFen });
  await settlePayables(tx, order.id);
  return "paid";
}

/** Books what came as owed back, whatever the amount, and begins to give it back; the items are free for others. */
async function giveBackAll(
  tx: Db,
  platform: Platform,
  { id, status, gateway }: OrderHead,
  payment: Paid,
  { reason, by }: { reason: string; by: string },
): Promise<boolean> {
  if (gateway === null || (status !== "paying" && status !== "closed")) return false;
  if (!(await markSurplus(tx, id, status, payment, by))) return false;
  const { amountFen } = payment;
  await post(tx, "surplus", { orderId: id, gateway, amountFen });
  await insertRefund(tx, { orderId: id, refundNo: makeRefundNo(platform), amountFen, reason, isSurplus: true });
  return true;
}

export const noMismatch = (): Problem =>
  explain("notAllowedNow", "没有待处理的款项", "nothing came that waits for a decision");

/**
 * Gives back what a gateway says to have of an order, where it is not the order's amount, or came after a decision; returns
 * the fen. @throws {Problem} notAllowedNow where the order is settled by now, or nothing of the kind came
 */
export async function giveBackMismatch(
  tx: Db,
  platform: Platform,
  orderNo: string,
  payment: Payment,
  why: { reason: string; by: string },
): Promise<number> {
  const order = await lockOrder(tx, orderNo);
  if (!order || payment.state !== "paid" || payment.amountFen === 0) throw noMismatch();
  if (payment.amountFen === order.amountFen && order.receivedFen === null) throw noMismatch();
  if (!(await giveBackAll(tx, platform, order, payment, why))) throw noMismatch();
  return payment.amountFen;
}

/** Takes what a gateway says of a refund; what it has not done yet changes nothing. */
export async function settleRefund(
  tx: Db,
  { orderNo, gateway, refundNo, refund }: { orderNo: string; gateway: GatewayName; refundNo: string; refund: Refund },
): Promise<Settled> {
  const order = await lockOrder(tx, orderNo);
  if (!order) return "orderNotFound";
  if (order.gateway !== gateway) return "otherGateway";
  if (refund.state !== "done") return "nothing";
  await lockPayables(tx, order.id);
  const refundId = await endRefund(tx, order.id, refundNo, refund);
  if (refundId === undefined) return "known";
  await post(tx, "returned", { orderId: order.id, refundId, gateway, amountFen: refund.amountFen });
  await settlePayables(tx, order.id);
  return "refunded";
}
