import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type * as z from "zod";
import { explain, Problem } from "#platform/contract/problem.ts";
import { type Db, Within } from "#platform/database/index.ts";
import { toLink } from "#platform/process/links.ts";
import { toFen } from "#services/tuition-payment/amounts.ts";
import { type DueItem, listDues } from "#services/tuition-payment/due-store.ts";
import type { Gateway, GatewayName, PayAnswer, PayRequest } from "#services/tuition-payment/gateways/gateway.ts";
import { listPayLimits, lockOwnPayables, type StoredPayable } from "#services/tuition-payment/payable-store.ts";
import { toStoredCardNumber } from "#services/tuition-payment/sealed.ts";
import { beginPaying, claimForPay, insertOrder, keepAnswer, keepRedirect, type OrderedItem } from "./change-store.ts";
import type { payWish, studentOrderEndpoints } from "./contract.ts";
import {
  type Desk,
  getGateway,
  makeOrderNo,
  requireOrder,
  requireSimulated,
  toNotifyUrl,
  toReference,
} from "./desk.ts";
import { beginCall } from "./history-store.ts";
import { findOrder, listOrderedGrades, type OrderRow } from "./order-store.ts";
import { mayRedirect, pollAfterSeconds, sumFen } from "./rules.ts";
import { ask, forCaller } from "./settle.ts";

type PayWish = z.output<typeof payWish>;
type Wish = z.output<(typeof studentOrderEndpoints)["createOrder"]["body"]>;

const deviceOf = (agent = ""): PayRequest["device"] =>
  /Mobile|Android|iPhone|iPad|HarmonyOS|MicroMessenger/i.test(agent) ? "phone" : "desk";

/**
 * Repeated or concurrent calls with the same gateway, method and payer get the same answer, except for "h5". A call
 * with another gateway is refused.
 * @throws {Problem} badFormat or one of `payProblems`, such as forbidden where the simulated gateway is unavailable
 */
export async function payOrder(desk: Desk, order: OrderRow, wish: PayWish, request: FastifyRequest) {
  if (wish.gateway === "simulated") requireSimulated(desk, request);
  const device = wish.kind === undefined ? deviceOf(request.headers["user-agent"]) : deviceOfKind[wish.kind];
  const payer = { device, payerIp: request.ip, openId: wish.openId };
  const { orderNo } = order;
  return { orderNo, gateway: wish.gateway, ...(await findOrBegin(desk, order, wish, payer)) };
}

const deviceOfKind = { jsapi: "phone", h5: "phone", native: "desk" } as const;

type Payer = Pick<PayRequest, "device" | "payerIp" | "openId">;
type ChosenPayer = Payer & { readonly kind: PayAnswer["kind"] };

async function findOrBegin(desk: Desk, order: OrderRow, wish: PayWish, payer: Payer): Promise<PayAnswer> {
  const { pool, settings } = desk.platform;
  const redirectUrl = wish.redirectUrl ?? settings.PAY_REDIRECT_URL;
  if (wish.redirectUrl !== undefined && !mayRedirect(wish.redirectUrl, settings.PAY_REDIRECT_HOSTS))
    throw explain(
      "badFormat",
      "redirectUrl: 应为本服务器的路径，或允许的主机上的地址",
      "redirectUrl: must be a path of this server or an address on an allowed host",
    );
  if (order.gateway !== null && order.gateway !== wish.gateway) throw new Problem("otherGateway");
  const gateway = getGateway(desk, wish.gateway);
  const kind = chooseKind(gateway, wish);
  const known = findAnswer(order, gateway.name, { ...payer, kind });
  requireOpen(await listOrderedGrades(pool, order.id));
  if (order.status === "paying" && wish.redirectUrl !== undefined) await keepRedirect(pool, order.id, redirectUrl);
  if (known) return known;
  if (kind === "jsapi" && wish.openId === undefined)
    throw explain("badFormat", "openId: 该支付渠道需要 openId", "openId: is required by this gateway");
  const seconds = settings.PAY_TIMEOUT_MS / 1000 + 5;
  const callId =
    order.status === "paying"
      ? await beginCall(pool, { orderId: order.id, gateway: gateway.name, call: "pay" })
      : await claimForPay(pool, order.id, gateway.name, redirectUrl, seconds);
  if (callId !== undefined)
    return forCaller(gateway.name, "pay", () => begin(desk, callId, order, gateway, { ...payer, kind }));
  // A concurrent call has claimed the order, perhaps for the same gateway.
  const answer = findAnswer(requireOrder(await findOrder(pool, order.orderNo)), gateway.name, { ...payer, kind });
  if (!answer) throw new Problem("otherGateway");
  return answer;
}

function chooseKind({ kinds }: Gateway, { kind, gateway }: PayWish): PayAnswer["kind"] {
  // Gateways other than WeChat Pay have one method for all devices.
  if (gateway !== "wechat" || kind === undefined) return kinds[0];
  if (kinds.includes(kind)) return kind;
  throw explain("badFormat", "kind: 未开通该支付方式", "kind: the merchant does not support this way of paying");
}

/**
 * Returns the stored answer to an earlier call if it suits the payer. An "h5" answer is not reused, since its URL
 * expires.
 * @throws {Problem} otherGateway, or notAllowedNow if the order cannot be paid
 */
function findAnswer(order: OrderRow, gateway: GatewayName, payer: ChosenPayer): PayAnswer | undefined {
  if (order.gateway !== null && order.gateway !== gateway) throw new Problem("otherGateway");
  if (order.isExpired || (order.status !== "created" && order.status !== "paying"))
    throw explain("notAllowedNow", "订单当前不能支付", "the order cannot be paid in its current state");
  if (order.status !== "paying" || order.payAnswer === null) return undefined;
  const { payer: whose, ...answer } = order.payAnswer;
  const isGood = answer.kind === payer.kind && answer.kind !== "h5" && whose === namePayer(payer);
  return isGood ? answer : undefined;
}

/** An answer that is valid for one payer only is stored with a hash of the payer's openId. */
const namePayer = ({ kind, openId = "" }: ChosenPayer): string | undefined =>
  kind === "jsapi" ? createHash("sha256").update(openId).digest("hex") : undefined;

function begin(desk: Desk, callId: number, order: OrderRow, gateway: Gateway, payer: ChosenPayer): Promise<PayAnswer> {
  const { settings } = desk.platform;
  const { items, orderNo } = order;
  const years = [...new Set(items.map((item) => item.years))];
  const request: PayRequest = {
    ...toReference(order),
    ...payer,
    description: `${years.join("、")} ${items.map(({ name }) => name).join("、")}`,
    expiresAt: order.expiresAt,
    notifyUrl: toNotifyUrl(settings, gateway.name),
    returnUrl: toLink(settings, `/tuitionpayment/pay/return/${gateway.name}?orderNo=${orderNo}`),
  };
  const send = async () => {
    const answer = await gateway.pay(request);
    return { state: answer.kind, answer };
  };
  return ask(desk, callId, send, async (tx, { answer }) => {
    const kept = { ...answer, payer: namePayer(payer) };
    if (await beginPaying(tx, order.id, gateway.name, kept, pollAfterSeconds(0))) return answer;
    const now = requireOrder(await findOrder(tx, orderNo));
    const known = findAnswer(now, gateway.name, payer);
    if (!known) await keepAnswer(tx, order.id, gateway.name, kept);
    return known ?? answer;
  });
}

/**
 * Creates one order for all of the items.
 * @throws {Problem} if no payable is chosen, an item cannot be ordered, or the wished amount is not the sum of the
 * items
 */
export async function createOrder(tx: Db, { platform }: Desk, card: string, wish: Wish): Promise<OrderRow> {
  if (wish.payables.length === 0) throw new Problem("payablesEmpty");
  const ids = [...new Set(wish.payables.map(({ payableId }) => payableId))];
  // The queries are pipelined, so the first one locks the payables before the others read.
  const [payables, dues, limits] = await Promise.all([
    lockOwnPayables(tx, card, ids),
    listDues(tx, ids),
    listPayLimits(tx, Within.everywhere),
  ]);
  const items = chooseItems(wish, payables, dues);
  requireFree(items);
  const enabled = new Map(limits.map((limit) => [limit.grade, limit.enabled]));
  requireOpen(payables.map(({ grade }) => enabled.get(grade)));
  const amountFen = sumFen(items);
  if (amountFen !== toFen(wish.amount))
    throw explain("amountWrong", "amount: 与所选项目合计不符", "amount: does not equal the sum of the selected items");
  const [first] = payables;
  if (!first) throw new Problem("paymentNotFound");
  const { studentNo, studentName, grade } = first;
  const limitSeconds = wish.limitSeconds ?? platform.settings.PAY_LIMIT_SECONDS;
  const whose = { ...toStoredCardNumber(tx.keys, card), studentNo, studentName, grade };
  return insertOrder(tx, { orderNo: makeOrderNo(platform), ...whose, amountFen, limitSeconds, items });
}

interface WishedItem extends OrderedItem {
  readonly isPaid: boolean;
  readonly state: DueItem["state"];
}

function chooseItems(
  { payables: choices }: Wish,
  payables: readonly StoredPayable[],
  dues: readonly DueItem[],
): WishedItem[] {
  const chosen = new Map<string, WishedItem>();
  for (const { payableId, items: names = [] } of choices) {
    const payable = payables.find(({ id }) => id === payableId);
    if (!payable) throw new Problem("paymentNotFound");
    const offered = dues.filter((due) => due.payableId === payableId);
    for (const wished of names.length === 0 ? offered.map((each) => each.name) : names) {
      const found = offered.find((each) => each.name === wished.trim());
      if (!found) throw new Problem("itemNotFound");
      const key = JSON.stringify([payableId, found.name]);
      if (chosen.has(key))
        throw explain(
          "paymentItemExists",
          `“${found.name}”在请求中重复`,
          `"${found.name}" is listed more than once in the request`,
        );
      chosen.set(key, toWished(payable, found));
    }
  }
  return [...chosen.values()];
}

const toWished = (
  { years, paidBy }: StoredPayable,
  { payableId, name, amountFen, dueFen, state }: DueItem,
): WishedItem => ({
  payableId,
  years,
  name,
  amountFen: dueFen,
  state,
  isPaid: paidBy !== null || state === "paid" || (dueFen === 0 && amountFen > 0),
});

function requireFree(items: readonly WishedItem[]): void {
  const paid = items.find(({ isPaid }) => isPaid);
  if (paid) throw explain("itemPaid", paid.name, paid.name);
  const held = items.find(({ state }) => state === "held");
  if (held)
    throw explain(
      "notAllowedNow",
      `“${held.name}”已在另一个未支付的订单中`,
      `"${held.name}" is in another unpaid order`,
    );
}

function requireOpen(grades: readonly (boolean | undefined | null)[]): void {
  for (const enabled of grades) {
    if (enabled === undefined || enabled === null) throw new Problem("gradeNotFound");
    if (!enabled)
      throw explain("notAllowedNow", "该年级暂未开放缴费", "payment is currently not allowed for this grade");
  }
}
