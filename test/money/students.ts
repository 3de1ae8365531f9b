import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { PayAnswer } from "#services/tuition-payment/gateways/gateway.ts";
import type { PaymentFault } from "#test/stand-ins/payment-server.ts";
import type { PaymentStandIn } from "#test/stand-ins/payment.ts";
import { decide } from "./decisions.ts";
import { call, type Ground, type Name, pick, studentNo } from "./ground.ts";

// With most of these faults the platform performs the request, but its answer is lost or altered.
const faults: readonly PaymentFault[] = ["lost", "lost", "reset", "half", "silent", "altered", "busy", "twice"];

/** For most students, plans a fault of the next call to a random platform. */
function failSometimes({ standIns, random }: Ground): void {
  if (random() < 0.6) pick(random, Object.values(standIns)).fail(pick(random, faults));
}

export async function playStudent(ground: Ground, index: number): Promise<void> {
  const { random } = ground;
  failSometimes(ground);
  const card = { card_number: studentNo(index) };
  const own = (await call(ground, "GET", "/order/payables", card)).data as { id: number; items: { name: string }[] }[];
  const payableId = own[0]?.id ?? assert.fail("no payable");
  const [other] = own.slice(1);
  if (other && random() < 0.2) return playSplit(ground, card, [payableId, other.id]);
  await Promise.all([playOne(ground, card, payableId), random() < 0.4 ? decide(ground, payableId) : undefined]);
}

/**
 * Two orders, each with items of both payables, are paid while staff decide about the payables; then one order is
 * refunded.
 */
async function playSplit(ground: Ground, card: Record<string, string>, ids: readonly number[]): Promise<void> {
  const parts = [
    { names: ["学费"], amount: 9600 },
    { names: ["住宿费", "教材费"], amount: 2401 },
  ];
  const begun = await Promise.all(
    parts.map(({ names, amount }) =>
      payOnce(ground, card, { payables: ids.map((payableId) => ({ payableId, items: names })), amount }),
    ),
  );
  const orders = begun.flatMap((order) => order ?? []);
  await Promise.all([
    ...orders.map(({ gateway, orderNo }) => payAt(ground.standIns[gateway], orderNo)),
    ...ids.map((payableId) => (ground.random() < 0.5 ? decide(ground, payableId) : undefined)),
  ]);
  const [one] = orders;
  if (one) await refundAll(ground, { admin_token: ground.token }, one.orderNo);
}

async function playOne(ground: Ground, card: Record<string, string>, payableId: number): Promise<void> {
  const { random, standIns, token } = ground;
  const all = { payables: [{ payableId }], amount: 6000.5 };
  const first = await payOnce(ground, card, all);
  if (first === undefined) return;
  const kind = random();
  if (kind < 0.15) return;
  if (kind < 0.35) {
    // At gateways that cannot close orders, the cancelled order is still paid, after another order for the same
    // payable.
    await call(ground, "POST", `/order/close/${first.orderNo}`, card);
    if (random() < 0.5) await call(ground, "PUT", `/payableinfo/pay/${payableId}/true`, { admin_token: token });
    const second = await payOnce(ground, card, all);
    if (second) await payAt(standIns[second.gateway], second.orderNo);
  }
  if (kind > 0.9) {
    await payAt(standIns[first.gateway], first.orderNo, 600_049);
    return giveBack(ground, { admin_token: token }, first.orderNo);
  }
  await payAt(standIns[first.gateway], first.orderNo);
  if (random() < 0.4) await refundSome(ground, { admin_token: token }, first.orderNo, payableId);
}

interface Begun {
  readonly orderNo: string;
  readonly gateway: Name;
}

async function payOnce(ground: Ground, card: Record<string, string>, wished: object): Promise<Begun | undefined> {
  const { random, standIns, limitSeconds } = ground;
  const key = { "idempotency-key": `${card["card_number"]}-${random()}` };
  const wish = { ...wished, limitSeconds };
  const created = await call(ground, "POST", "/order/create", { ...card, ...key }, wish);
  if (created.code !== "0") return undefined;
  const { orderNo } = created.data as { orderNo: string };
  for (let attempt = 0; attempt < 4; attempt++) {
    const gateway = pick(random, ["ccb", "abc", "wechat", "alipay"] as const);
    const body = { gateway, openId: "openid-of-nobody" };
    const asked = await Promise.all(
      (random() < 0.3 ? [1, 2] : [1]).map(() => call(ground, "POST", `/order/pay/${orderNo}`, card, body)),
    );
    const answer = asked.find(({ code }) => code === "0")?.data as (PayAnswer & { gateway: Name }) | undefined;
    if (!answer) continue;
    // The payment page may fail or take more than two seconds; the payer then gives up.
    const visit = standIns[gateway].visit(answer).then(
      () => true,
      () => false,
    );
    const visited = await Promise.race([visit, delay(2000).then(() => false)]);
    return visited ? { orderNo, gateway } : undefined;
  }
  return undefined;
}

async function payAt(standIn: PaymentStandIn, orderNo: string, amountFen?: number): Promise<void> {
  try {
    await standIn.pay(orderNo, amountFen);
  } catch {
    return;
  }
}

async function giveBack(ground: Ground, token: Record<string, string>, orderNo: string): Promise<void> {
  const body = { reason: "金额有误" };
  for (let attempt = 0; attempt < 60; attempt++) {
    const said = await Promise.all([1, 2].map(() => call(ground, "POST", `/order/giveBack/${orderNo}`, token, body)));
    if (said.some(({ code }) => code === "0" || code === "10007")) return;
    await delay(250);
  }
}

const refundSome = (ground: Ground, token: Record<string, string>, orderNo: string, payableId: number): Promise<void> =>
  refundAll(ground, token, orderNo, ground.random() < 0.5 ? { items: [{ payableId, name: "住宿费" }] } : {});

async function refundAll(ground: Ground, token: Record<string, string>, orderNo: string, items = {}): Promise<void> {
  if (ground.random() < 0.5) ground.refusing.add(orderNo);
  for (let attempt = 0; attempt < 20; attempt++) {
    const body = { reason: "退学", ...items };
    const said = await Promise.all([1, 2].map(() => call(ground, "POST", `/order/refund/${orderNo}`, token, body)));
    if (said.some(({ code }) => code === "0")) return;
    await delay(250);
  }
}
