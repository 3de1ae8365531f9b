import { explain, found, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { undoDecision } from "#services/tuition-payment/adjustments/adjusting.ts";
import { settlePayables } from "#services/tuition-payment/due-store.ts";
import type { Payment } from "#services/tuition-payment/gateways/gateway.ts";
import { decideReceived } from "./change-store.ts";
import { type Desk, getGateway, makeRefundNo, requireOrder } from "./desk.ts";
import { post } from "./ledger-store.ts";
import { findOrder, lockOrder, lockPayables, type OrderHead, payablesOf } from "./order-store.ts";
import { releaseSecondPayment, takeSecondPayment } from "./reconcile-store.ts";
import { firstStatus, letRun, pursueRefund, waitsForSecond } from "./refunding.ts";
import {
  approveRefund,
  dropFailed,
  endOutside,
  findRefund,
  insertRefund,
  refuseRefund,
  repeatRefund,
  type StoredRefund,
} from "./refund-store.ts";
import { askPayment, bookSurplus, forCaller, settlePayment } from "./settle.ts";

const decided = (): Problem =>
  explain(
    "notAllowedNow",
    "该款项已处理，或当前不能处理",
    "the payment or refund has already been handled, or cannot be handled at present",
  );
const noneWaits = (): Problem => explain("notAllowedNow", "没有待处理的款项", "no received amount awaits a decision");

async function lockRefund(
  tx: Db,
  orderNo: string,
  refundNo: string,
): Promise<{ order: OrderHead; refund: StoredRefund }> {
  const [locked] = await Promise.all([lockOrder(tx, orderNo), lockPayables(tx, orderNo)]);
  const order = requireOrder(locked);
  const refund = found(await findRefund(tx, order.id, refundNo));
  return { order, refund };
}

export async function refundAgain(tx: Db, desk: Desk, orderNo: string, refundNo: string, by: string): Promise<number> {
  const { order } = await lockRefund(tx, orderNo, refundNo);
  if (order.status !== "paid" && order.status !== "refunded") throw decided();
  const again = { refundNo: makeRefundNo(desk.platform), status: firstStatus(desk), by };
  const refund = await repeatRefund(tx, order.id, refundNo, again);
  if (!refund) throw decided();
  if (refund.status === "running") await letRun(tx, order, refund, by);
  return refund.amountFen;
}

export async function refundOutside(
  tx: Db,
  orderNo: string,
  refundNo: string,
  how: { evidence: string; by: string },
): Promise<number> {
  const { order, refund } = await lockRefund(tx, orderNo, refundNo);
  const ended = await endOutside(tx, order.id, refundNo, how);
  if (!ended || order.gateway === null) throw decided();
  const { amountFen, isSurplus } = refund;
  const money = { orderId: order.id, refundId: ended.id, gateway: order.gateway, amountFen };
  await post(tx, isSurplus ? "handedSurplus" : "handed", money);
  await settlePayables(tx, payablesOf(order.id));
  return amountFen;
}

export async function keepFailed(
  tx: Db,
  orderNo: string,
  refundNo: string,
  { note, by }: { note: string; by: string },
): Promise<number> {
  const { order, refund } = await lockRefund(tx, orderNo, refundNo);
  if (refund.isSurplus || !(await dropFailed(tx, order.id, refundNo, by, note))) throw decided();
  return refund.amountFen;
}

function requireSecond({ askedBy, status }: StoredRefund, by: string): void {
  if (status !== "asked") throw decided();
  if (askedBy === by)
    throw explain(
      "forbidden",
      "须由申请人以外的管理员审批",
      "an administrator other than the requester must approve or reject the refund",
    );
}

/**
 * Queries the gateway before the approval of a refund of money that is not booked yet. Returns the queried payment, or
 * undefined if the money is booked.
 * @throws {Problem} orderNotFound; notFound for an unknown refund; notAllowedNow if the refund does not await approval;
 * forbidden for the person who requested the refund; also the problems of askReceived
 */
export async function askBeforeApproval(
  desk: Desk,
  orderNo: string,
  refundNo: string,
  by: string,
): Promise<Payment | undefined> {
  const order = requireOrder(await findOrder(desk.platform.pool, orderNo));
  const refund = found(await findRefund(desk.platform.pool, order.id, refundNo));
  requireSecond(refund, by);
  return order.status === "paying" || order.status === "closed" ? askReceived(desk, orderNo) : undefined;
}

export async function approve(
  tx: Db,
  orderNo: string,
  refundNo: string,
  { received, by }: { received: Payment | undefined; by: string },
): Promise<number> {
  const { order, refund } = await lockRefund(tx, orderNo, refundNo);
  requireSecond(refund, by);
  if (!(await approveRefund(tx, refund.id, by))) throw decided();
  if (received) {
    if (received.state !== "paid" || received.amountFen !== refund.amountFen) throw noneWaits();
    await decideReceived(tx, order.id, by, null);
    if (!(await bookSurplus(tx, order, received, by))) throw noneWaits();
  } else if (refund.isSurplus && refund.secondTrade === null && refund.againOf === null) {
    // The money has been booked as payment for the order's items since the refund was requested.
    throw noneWaits();
  } else await begin(tx, order, refund, by);
  return refund.amountFen;
}

export async function refuse(
  tx: Db,
  orderNo: string,
  refundNo: string,
  { reason, by }: { reason: string; by: string },
): Promise<number> {
  const { order, refund } = await lockRefund(tx, orderNo, refundNo);
  requireSecond(refund, by);
  if (!(await refuseRefund(tx, refund.id, reason, by))) throw decided();
  if (refund.secondTrade !== null && refund.againOf === null)
    await releaseSecondPayment(tx, order.orderNo, refund.secondTrade);
  return refund.amountFen;
}

/**
 * Queries the gateway, and settles the order if the exact amount has arrived.
 * @throws {Problem} orderNotFound; notAllowedNow if the order has no gateway or is neither being paid nor closed;
 * outsideNotConfigured; ccbQueryFailed, abcQueryFailed or outsideFailed if the query fails
 */
export async function askReceived(desk: Desk, orderNo: string): Promise<Payment> {
  const order = requireOrder(await findOrder(desk.platform.pool, orderNo));
  const { gateway: name } = order;
  if (name === null || (order.status !== "paying" && order.status !== "closed")) throw noneWaits();
  const gateway = getGateway(desk, name);
  return forCaller(name, "query", () => askPayment(desk, gateway, order, "query"));
}

/**
 * Refunds money whose amount differs from the order's, or that came after an adjustment had settled the items. If
 * refunds need approval, the refund is only requested. Returns the amount in fen.
 * @throws {Problem} notAllowedNow if the order is settled or there is no such money
 */
export async function giveBack(
  tx: Db,
  desk: Desk,
  orderNo: string,
  { received, reason, by }: { received: Payment; reason: string; by: string },
): Promise<number> {
  const order = await lockOrder(tx, orderNo);
  if (!order || received.state !== "paid" || received.amountFen === 0) throw noneWaits();
  if (received.amountFen === order.amountFen && order.receivedFen === null) throw noneWaits();
  const status = firstStatus(desk);
  if (status === "running") {
    await decideReceived(tx, order.id, by, null);
    if (!(await bookSurplus(tx, order, received, by))) throw noneWaits();
  } else if (order.status !== "paying" && order.status !== "closed") throw noneWaits();
  const { amountFen } = received;
  const refundNo = makeRefundNo(desk.platform);
  await insertRefund(tx, { orderId: order.id, refundNo, status, amountFen, reason, isSurplus: true, askedBy: by });
  return amountFen;
}

/**
 * Refunds the entire second payment that a difference reports. If refunds need approval, the refund is only requested.
 * Returns the amount in fen.
 * @throws {Problem} orderNotFound; notAllowedNow if the difference reports no second payment, if a person has decided
 * about it, or if the order cannot be refunded at present
 */
export async function giveBackSecond(
  tx: Db,
  desk: Desk,
  { id, orderNo }: { id: number; orderNo: string },
  { reason, by }: { reason: string; by: string },
): Promise<number> {
  const order = requireOrder(await lockOrder(tx, orderNo));
  const paid = await takeSecondPayment(tx, id, reason, by);
  if (!paid) throw decided();
  const status = firstStatus(desk);
  const { amountFen, tradeNo } = paid;
  const refund = {
    orderId: order.id,
    refundNo: makeRefundNo(desk.platform),
    status,
    amountFen,
    reason,
    isSurplus: true,
    askedBy: by,
    items: [],
    secondTrade: tradeNo ?? "",
  };
  const refundId = await insertRefund(tx, refund);
  if (status === "running") await begin(tx, order, { ...refund, id: refundId, againOf: null }, by);
  return amountFen;
}

/** Starts the refund. A second payment is booked only when its first refund starts. */
async function begin(
  tx: Db,
  order: OrderHead,
  refund: Pick<StoredRefund, "id" | "amountFen" | "isSurplus" | "secondTrade" | "againOf">,
  by: string,
): Promise<void> {
  await letRun(tx, order, refund, by);
  if (refund.secondTrade === null || refund.againOf !== null || order.gateway === null) return;
  const { id: refundId, amountFen } = refund;
  await post(tx, "second", { orderId: order.id, refundId, gateway: order.gateway, amountFen });
}

/**
 * Revokes the adjustments made since the order was created, so that the late money pays for the order's items. Returns
 * the amount in fen.
 * @throws {Problem} notAllowedNow if no such money awaits a decision, if a refund awaits approval, or if the items are
 * no longer available
 */
export async function settleLate(
  tx: Db,
  desk: Desk,
  orderNo: string,
  { received, reason, by }: { received: Payment; reason: string; by: string },
): Promise<number> {
  const [order] = await Promise.all([lockOrder(tx, orderNo), lockPayables(tx, orderNo)]);
  const { gateway, receivedFen, amountFen } = order ?? {};
  if (!order || !gateway || received.state !== "paid" || receivedFen !== amountFen) throw noneWaits();
  if (waitsForSecond(requireOrder(await findOrder(tx, orderNo)))) throw decided();
  if (!(await decideReceived(tx, order.id, by, reason))) throw decided();
  await undoDecision(tx, order.id, { by, reason });
  const became = await settlePayment(tx, desk.platform, { orderNo, gateway, payment: received, by });
  if (became !== "paid")
    throw explain(
      "notAllowedNow",
      "订单的项目已缴费、已被其他订单占用或已变更",
      "items of the order have been paid, are in another order, or have changed",
    );
  return received.amountFen;
}

export async function askOrder(desk: Desk, orderNo: string): Promise<void> {
  const order = requireOrder(await findOrder(desk.platform.pool, orderNo));
  const { gateway: name, status } = order;
  if (name === null) throw new Problem("otherGateway");
  const gateway = getGateway(desk, name);
  if (status === "paying" || status === "closed")
    await forCaller(name, "query", () => askPayment(desk, gateway, order, "query"));
  if (status === "refunding") await pursueRefund(desk, gateway, order);
}
