import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { readSettings, type Settings } from "#quintet/settings.ts";
import { startAbc } from "#test/stand-ins/payment-abc.ts";
import { startAlipay } from "#test/stand-ins/payment-alipay.ts";
import { type GatewayBench, makeRefund } from "#test/stand-ins/payment-bench.ts";
import { startCcb } from "#test/stand-ins/payment-ccb.ts";
import { testGateway } from "#test/stand-ins/payment-conformance.ts";
import { startWeChatPay } from "#test/stand-ins/payment-wechat.ts";
import type { PaymentStandIn } from "#test/stand-ins/payment.ts";
import { openSimulatedBooks } from "#test/stand-ins/simulated-books.ts";
import { createGateways } from "./configured.ts";
import type { Gateway, GatewayName } from "./gateway.ts";
import type { SimulatedNotice } from "./simulated.ts";

const tools = {
  clock: () => Date.now(),
  simulatedBooks: openSimulatedBooks(),
  toSimulatedPage: (orderNo: string) => `http://127.0.0.1:9/simulated/${orderNo}`,
};

function configure(name: GatewayName, given: Readonly<Record<string, string>>): Gateway {
  const settings: Settings = readSettings({ PUBLIC_URL: "http://127.0.0.1:9", ...given });
  const gateway = createGateways(settings, tools).all.get(name);
  if (!gateway) throw new Error(`${name} is not configured`);
  return gateway;
}

async function openBench(name: GatewayName, starting: Promise<PaymentStandIn>): Promise<GatewayBench> {
  const standIn = await starting;
  const { visit, pay, makeNotice, forgeries, shiftClock, settings, books } = standIn;
  return {
    gateway: configure(name, settings),
    impatient: configure(name, { ...settings, PAY_TIMEOUT_MS: "400" }),
    standIn,
    visit,
    pay,
    makeNotice,
    forgeries,
    shiftClock,
    secrets: Object.entries(settings).flatMap(([key, value]) =>
      /KEY$|PASSWORD/.test(key) ? [value.slice(0, 80)] : [],
    ),
    setStatement: (orderNo, fen) => void books.statementFen.set(orderNo, fen),
    sumFen: async () => books.sumFen(),
    close: standIn.close,
  };
}

testGateway("wechat", () => openBench("wechat", startWeChatPay()));
testGateway("ccb", () => openBench("ccb", startCcb()));
testGateway("abc", () => openBench("abc", startAbc()));
testGateway("alipay", () => openBench("alipay", startAlipay()));
testGateway("simulated", openSimulated);

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const foreignKey = privateKey.export({ type: "pkcs8", format: "pem" });

for (const [name, start, setting, code] of [
  ["abc", startAbc, "PAY_ABC_PRIVATE_KEY", "2302"],
  ["wechat", startWeChatPay, "PAY_WECHAT_PRIVATE_KEY", "SIGN_ERROR"],
  ["alipay", startAlipay, "PAY_ALIPAY_PRIVATE_KEY", "isv.invalid-signature"],
] as const)
  test(`a key that ${name} does not know is a fault of set-up: no order is absent, and no refund fails for good`, async (t) => {
    const standIn = await start();
    t.after(() => standIn.close());
    const gateway = configure(name, { ...standIn.settings, [setting]: foreignKey });
    const order = { orderNo: "20260901", amountFen: 100, createdAt: new Date() };
    await assert.rejects(gateway.query(order), { failure: "unknown", code });
    await assert.rejects(gateway.refund(makeRefund(order, 1)), { failure: "unknown", code });
  });

async function openSimulated(): Promise<GatewayBench> {
  const books = openSimulatedBooks();
  const { simulated } = createGateways(readSettings({}), { ...tools, simulatedBooks: books });
  if (!simulated) throw new Error("not there");
  const notices = new Map<string, SimulatedNotice>();
  const seen: string[] = [];
  return {
    gateway: simulated,
    secrets: [await books.readSecret()],
    forgeries: ["signature", "altered", "amount", "missing"],
    async visit(answer) {
      if (answer.kind !== "redirect" || !answer.url.includes("/simulated/")) throw new Error("no page");
    },
    async pay(orderNo, amountFen) {
      seen.push(orderNo);
      const notice = await simulated.act(orderNo, { result: "success", amountFen });
      if (notice) notices.set(orderNo, notice);
    },
    makeNotice(orderNo, forgery) {
      const { sign, ...said } = notices.get(orderNo) ?? { sign: "" };
      const sent = {
        ...said,
        ...(forgery === "missing" ? {} : { sign: forgery === "signature" ? "0".repeat(64) : sign }),
        ...(forgery === "amount" ? { amount: 0.01 } : {}),
      };
      const body = Buffer.from(JSON.stringify(sent));
      if (forgery === "altered") body[20] = (body[20] ?? 0) ^ 1;
      return { body, headers: {} };
    },
    shiftClock: () => undefined,
    setStatement: (orderNo, statementFen) =>
      void books.change(orderNo, (trade) => ({ ...(trade ?? fail()), statementFen })),
    async sumFen() {
      const trades = await Promise.all(seen.map((orderNo) => books.find(orderNo)));
      return trades.reduce(
        (sum, trade) =>
          sum + (trade?.amountFen ?? 0) - (trade?.refunds ?? []).reduce((all, { amountFen }) => all + amountFen, 0),
        0,
      );
    },
    close: async () => undefined,
  };
}

function fail(): never {
  throw new Error("no trade");
}
