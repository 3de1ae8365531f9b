import { explain, Problem } from "#platform/contract/problem.ts";
import { inTransaction } from "#platform/database/index.ts";
import type { Gateway, GatewayName, PayAnswer, PayRequest } from "#services/tuition-payment/gateways/gateway.ts";
import { ask, forCaller } from "./asking.ts";
import { beginPaying, claimForPay, giveUpClaim, pollAfter } from "./change-store.ts";
import { requireGrades } from "./creating.ts";
import { type Desk, getGateway, requireOrder, toNotifyUrl, toReference, toReturnUrl } from "./desk.ts";
import { findOrder, findOwnOrder, type OrderRow } from "./order-store.ts";
import { mayRedirect, pollAfterSeconds } from "./rules.ts";

export interface PayWish {
  readonly gateway: GatewayName;
  readonly redirectUrl?: string | undefined;
  readonly openId?: string | undefined;
}

/**
 * Has a gateway take the payment of one's own order. Asked again, or twice at once, the same gateway gives the same
 * answer, and another none.
 */
export async function payOrder(desk: Desk, card: string, orderNo: string, wish: PayWish): Promise<PayAnswer> {
  const { pool, settings } = desk.platform;
  const redirectUrl = wish.redirectUrl ?? settings.PAY_REDIRECT_URL;
  if (wish.redirectUrl !== undefined && !mayRedirect(wish.redirectUrl, settings.PAY_REDIRECT_HOSTS))
    throw explain(
      "badFormat",
      "redirectUrl: 不允许跳转到该地址",
      "redirectUrl: is no path here, nor of a host that is allowed",
    );
  const order = requireOrder(await findOwnOrder(pool, orderNo, card));
  const gateway = getGateway(desk, wish.gateway);
  const known = findAnswer(order, gateway.name);
  await requireGrades(pool, [order.grade]);
  if (known) return known;
  if (gateway.kind === "jsapi" && wish.openId === undefined)
    throw explain("badFormat", "openId: 该支付渠道需要 openId", "openId: is needed by this gateway");
  await claim(desk, order, gateway, redirectUrl);
  return forCaller(gateway.name, "pay", () => begin(desk, order, gateway, wish.openId));
}

/** What the gateway has answered already. @throws {Problem} otherGateway, or notAllowedNow where nobody can pay. */
function findAnswer(order: OrderRow, gateway: GatewayName): PayAnswer | undefined {
  if (order.gateway !== null && order.gateway !== gateway) throw new Problem("otherGateway");
  if (order.isExpired || (order.status !== "created" && order.status !== "paying"))
    throw explain("notAllowedNow", "订单当前不能支付", "the order cannot be paid now");
  return order.status === "paying" ? (order.payAnswer ?? undefined) : undefined;
}

async function claim({ platform }: Desk, order: OrderRow, { name }: Gateway, redirectUrl: string): Promise<void> {
  const seconds = platform.settings.PAY_TIMEOUT_MS / 1000 + 5;
  if (await claimForPay(platform.pool, order.id, name, redirectUrl, seconds)) return;
  // Somebody was faster, perhaps with the same gateway.
  const present = requireOrder(await findOrder(platform.pool, order.orderNo));
  if (!findAnswer(present, name)) throw new Problem("otherGateway");
}

function begin(desk: Desk, order: OrderRow, gateway: Gateway, openId: string | undefined): Promise<PayAnswer> {
  const { pool, settings } = desk.platform;
  const request: PayRequest = {
    ...toReference(order),
    description: describe(order),
    expiresAt: order.expiresAt,
    notifyUrl: toNotifyUrl(settings, gateway.name),
    returnUrl: toReturnUrl(settings, gateway.name, order.orderNo),
    openId,
  };
  const call = { orderId: order.id, gateway: gateway.name, call: "pay" } as const;
  const send = async () => {
    const answer = await gateway.pay(request);
    return { state: answer.kind, answer };
  };
  return ask(desk, call, send, async (tx, { answer }) => {
    if (!(await beginPaying(tx, order.id, gateway.name, answer))) {
      const known = findAnswer(requireOrder(await findOrder(tx, order.orderNo)), gateway.name);
      return known ?? answer;
    }
    await pollAfter(tx, order.id, pollAfterSeconds(0));
    return answer;
  }).catch(async (error: unknown) => {
    await inTransaction(pool, (tx) => giveUpClaim(tx, order.id, gateway.name));
    throw error;
  });
}

const describe = ({ items }: OrderRow): string => {
  const years = [...new Set(items.map(({ years }) => years))];
  return `${years.join("、")} ${items.map(({ name }) => name).join("、")}`;
};
