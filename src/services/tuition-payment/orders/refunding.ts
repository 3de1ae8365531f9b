import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { Gateway, Payment } from "#services/tuition-payment/gateways/gateway.ts";
import { beginRefunding } from "./change-store.ts";
import { type Desk, getGateway, makeRefundNo, requireOrder, toNotifyUrl, toReference } from "./desk.ts";
import { beginCall } from "./history-store.ts";
import { post } from "./ledger-store.ts";
import { findOrder, lockOrder, type OrderHead, type OrderItem, type OrderRow } from "./order-store.ts";
import { insertRefund, leaseRefund, postponeRefund } from "./refund-store.ts";
import { pollAfterSeconds, sumFen } from "./rules.ts";
import { ask, askPayment, forCaller, noMismatch, settleRefund } from "./settle.ts";

/** An item of an order, as whoever refunds it names it. */
export interface NamedItem {
  readonly payableId: number;
  readonly name: string;
}

/**
 * Begins to give money back, as one change; a durable job sees to it that the gateway does.
 * @throws {Problem} orderNotFound, notAllowedNow, itemNotFound or paymentItemExists
 */
export async function requestRefund(
  tx: Db,
  { platform }: Desk,
  orderNo: string,
  { reason, items, by }: { reason: string; items: readonly NamedItem[] | undefined; by: string },
): Promise<number> {
  const locked = requireOrder(await lockOrder(tx, orderNo));
  const order = requireOrder(await findOrder(tx, orderNo));
  if (locked.status !== "paid" || locked.gateway === null)
    throw explain("notAllowedNow", "只有已支付的订单可以退款", "an order that is paid, and no other, can be refunded");
  const chosen = chooseItems(order, items);
  const amountFen = sumFen(chosen);
  if (amountFen === 0) throw explain("notAllowedNow", "退款金额为零", "there is nothing to give back");
  const refundId = await insertRefund(tx, {
    orderId: order.id,
    refundNo: makeRefundNo(platform),
    amountFen,
    reason,
    isSurplus: false,
    items: chosen,
  });
  await beginRefunding(tx, order.id, by);
  await post(tx, "owed", { orderId: order.id, refundId, gateway: locked.gateway, amountFen });
  return amountFen;
}

function chooseItems({ items }: OrderRow, named: readonly NamedItem[] | undefined): OrderItem[] {
  if (named === undefined) return items.filter(({ state }) => state === "paid");
  const chosen = new Set<OrderItem>();
  for (const { payableId, name } of named) {
    const item = items.find((each) => each.payableId === payableId && each.name === name.trim());
    if (!item) throw new Problem("itemNotFound");
    if (item.state !== "paid") throw explain("notAllowedNow", `“${name}”已退款`, `"${name}" is refunded already`);
    if (chosen.has(item)) throw new Problem("paymentItemExists");
    chosen.add(item);
  }
  return [...chosen];
}

/**
 * What a gateway has of an order for which another amount may have come; money in the order's own amount settles it.
 * @throws {Problem} orderNotFound; notAllowedNow where no gateway could have any; what asking a gateway fails with
 */
export async function askReceived(desk: Desk, orderNo: string): Promise<Payment> {
  const order = requireOrder(await findOrder(desk.platform.pool, orderNo));
  const { gateway: name } = order;
  if (name === null || (order.status !== "paying" && order.status !== "closed")) throw noMismatch();
  const gateway = getGateway(desk, name);
  return forCaller(name, "query", () => askPayment(desk, gateway, order, "query"));
}

/**
 * Has the gateway do the refund that runs, with the number that it had the first time, and asks until it has. At most one
 * process is at it; the one that comes meanwhile comes again when that one has had its time.
 */
export async function pursueRefund(desk: Desk, gateway: Gateway, order: OrderHead): Promise<void> {
  const { pool, settings } = desk.platform;
  // Longer than a bank may take to be asked and told.
  const refund = await leaseRefund(pool, order.id, (2 * settings.PAY_TIMEOUT_MS) / 1000 + 5);
  if (!refund) return;
  const { id, ...wanted } = refund;
  const { refundNo } = wanted;
  const again = pollAfterSeconds(order.asked);
  const paid = { ...toReference(order), amountFen: order.receivedFen ?? order.amountFen };
  const request = { order: paid, ...wanted, notifyUrl: toNotifyUrl(settings, gateway.name) };
  try {
    const call = await beginCall(pool, { orderId: order.id, gateway: gateway.name, call: "refund", refundNo });
    const send = () => gateway.refund(request);
    await ask(desk, call, send, async (tx, said) => {
      const settled = await settleRefund(tx, { orderNo: order.orderNo, gateway: gateway.name, refundNo, refund: said });
      if (settled === "refunded" || settled === "known") return;
      await postponeRefund(tx, id, again, said.state === "failed" ? said.reason.slice(0, 500) : null);
    });
  } catch (error) {
    await postponeRefund(pool, id, again, (error as Error).message.slice(0, 500));
  }
}
