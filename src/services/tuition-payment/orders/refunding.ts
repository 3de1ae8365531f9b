import { explain, Problem } from "#platform/contract/problem.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import {
  type Gateway,
  GatewayError,
  type Refund,
  type RefundRequest,
} from "#services/tuition-payment/gateways/gateway.ts";
import { beginRefunding } from "./change-store.ts";
import { type Desk, makeRefundNo, requireOrder, toNotifyUrl, toReference } from "./desk.ts";
import { beginCall, wasSentBefore } from "./history-store.ts";
import { post } from "./ledger-store.ts";
import { findOrder, lockOrder, type OrderHead, type OrderItem, type OrderRow } from "./order-store.ts";
import { isInNoStatement } from "./reconcile-store.ts";
import { insertRefund, leaseRefund, postponeRefund } from "./refund-store.ts";
import { pollAfterSeconds, sumFen } from "./rules.ts";
import { ask, settleRefund } from "./settle.ts";

export interface NamedItem {
  readonly payableId: number;
  readonly name: string;
}

interface WantedRefund {
  readonly reason: string;
  readonly items: readonly NamedItem[] | undefined;
  readonly by: string;
}

export const firstStatus = ({ platform }: Desk): "asked" | "running" =>
  platform.settings.REFUND_APPROVAL === "two" ? "asked" : "running";

/**
 * Requests a refund and returns its amount in fen. The gateway is called later, by the polling of orders.
 * @throws {Problem} orderNotFound, notAllowedNow, itemNotFound or paymentItemExists
 */
export async function requestRefund(tx: Db, desk: Desk, orderNo: string, wanted: WantedRefund): Promise<number> {
  const { order, items } = await chooseRefund(tx, orderNo, () => wanted.items);
  return beginRefund(tx, desk, order, { ...wanted, items });
}

export const waitsForSecond = ({ refunds }: OrderRow): boolean => refunds.some(({ status }) => status === "asked");

export async function chooseRefund(
  tx: Db,
  orderNo: string,
  name: (order: OrderRow) => readonly NamedItem[] | undefined,
): Promise<{ order: OrderRow; items: readonly OrderItem[] }> {
  const locked = requireOrder(await lockOrder(tx, orderNo));
  const order = requireOrder(await findOrder(tx, orderNo));
  if (locked.status !== "paid")
    throw explain("notAllowedNow", "只有已支付的订单可以退款", "only a paid order can be refunded");
  if (waitsForSecond(order))
    throw explain("notAllowedNow", "该订单有退款待审批", "a refund of this order awaits approval");
  const items = chooseItems(order, name(order));
  if (sumFen(items) === 0) throw explain("notAllowedNow", "退款金额为零", "the amount to refund is zero");
  return { order, items };
}

export async function beginRefund(
  tx: Db,
  desk: Desk,
  order: OrderRow,
  { items, reason, by }: { items: readonly OrderItem[]; reason: string; by: string },
): Promise<number> {
  const amountFen = sumFen(items);
  const refundNo = makeRefundNo(desk.platform);
  const status = firstStatus(desk);
  const { id: orderId } = order;
  const refund = { orderId, refundNo, status, amountFen, reason, isSurplus: false, askedBy: by, items };
  const refundId = await insertRefund(tx, refund);
  if (status === "running") await letRun(tx, order, { ...refund, id: refundId }, by);
  return amountFen;
}

/**
 * Starts a refund. The refund is also booked as owed, unless its money is booked as surplus already.
 * @throws {Problem} notAllowedNow if the order is neither paid nor refunded, for example because another refund is
 * running
 */
export async function letRun(
  tx: Db,
  { id: orderId, status, gateway }: OrderHead,
  refund: { readonly id: number; readonly amountFen: number; readonly isSurplus: boolean },
  by: string,
): Promise<void> {
  const from = status === "refunded" ? "refunded" : "paid";
  if (gateway === null || !(await beginRefunding(tx, orderId, by, from)))
    throw explain("notAllowedNow", "订单当前不能退款", "the order cannot be refunded in its current state");
  const { id: refundId, amountFen } = refund;
  if (!refund.isSurplus) await post(tx, "owed", { orderId, refundId, gateway, amountFen });
}

function chooseItems({ items }: OrderRow, named: readonly NamedItem[] | undefined): OrderItem[] {
  const paid = items.filter(({ state }) => state === "paid");
  if (named === undefined) return paid;
  const chosen = new Set<OrderItem>();
  for (const { payableId, name } of named) {
    const item = items.find((each) => each.payableId === payableId && each.name === name.trim());
    if (!item) throw new Problem("itemNotFound");
    if (item.state !== "paid") throw explain("notAllowedNow", `“${name}”已退款`, `"${name}" has already been refunded`);
    if (chosen.has(item))
      throw explain(
        "paymentItemExists",
        `“${item.name}”在请求中重复`,
        `"${item.name}" is listed more than once in the request`,
      );
    chosen.add(item);
  }
  // Items that cost nothing go with the last refund, since they cannot be refunded alone.
  return paid.some((item) => item.amountFen > 0 && !chosen.has(item)) || sumFen([...chosen]) === 0 ? [...chosen] : paid;
}

/**
 * Attempts a refund. The refund keeps its number in all attempts, until it is done or has failed. A lease lets one
 * process at a time attempt it.
 */
export async function pursueRefund(desk: Desk, gateway: Gateway, order: OrderHead): Promise<void> {
  const { pool, settings } = desk.platform;
  // The lease must be longer than a query, a refund and another query.
  const refund = await leaseRefund(pool, order.id, (3 * settings.PAY_TIMEOUT_MS) / 1000 + 5);
  if (!refund) return;
  const { id, secondTrade, ...wanted } = refund;
  const again = pollAfterSeconds(order.asked);
  // A second payment is refunded entirely, so the amount of its refund is the amount that was paid.
  const paidFen = secondTrade === null ? (order.receivedFen ?? order.amountFen) : refund.amountFen;
  const paid = { ...toReference(order), amountFen: paidFen };
  const request = { order: paid, ...wanted, notifyUrl: toNotifyUrl(settings, gateway.name) };
  try {
    const said = await send(desk, gateway, order, request);
    if (said.state !== "done" && said.state !== "failed") await postponeRefund(pool, id, again, null);
  } catch (error) {
    await postponeRefund(pool, id, again, (error as Error).message.slice(0, 500));
  }
}

async function send(desk: Desk, gateway: Gateway, order: OrderHead, request: RefundRequest): Promise<Refund> {
  const { pool } = desk.platform;
  const { refundNo } = request;
  const take = async (tx: Db, refund: Refund) => {
    await settleRefund(tx, { orderNo: order.orderNo, gateway: gateway.name, refundNo, refund });
    return refund;
  };
  const call = { orderId: order.id, gateway: gateway.name, refundNo } as const;
  const callId = await beginCall(pool, { ...call, call: "refund" });
  try {
    return await ask(desk, callId, () => gateway.refund(request), take);
  } catch (error) {
    if (!(error instanceof GatewayError) || error.failure !== "refused") throw error;
    const failed = { state: "failed", reason: error.message } as const;
    // If the first attempt is refused, the refund has failed. If a later attempt is refused, an earlier one may have
    // succeeded although its response was lost.
    if (!(await wasSentBefore(pool, refundNo, callId))) return inTransaction(pool, (tx) => take(tx, failed));
    const askedId = await beginCall(pool, { ...call, call: "queryRefund" });
    const said = await ask(desk, askedId, () => gateway.queryRefund(request), take);
    if (said.state !== "absent") return said;
    if (gateway.hidesRefunds && !(await isInNoStatement(pool, gateway.name, request))) throw error;
    return inTransaction(pool, (tx) => take(tx, failed));
  }
}
