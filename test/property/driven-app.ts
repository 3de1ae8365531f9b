import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { contracts } from "#quintet/app.ts";
import { getData, startTestApp, type TestApp, type TestAppOptions } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { makeMonth } from "#test/attendance/workbooks.ts";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import { openOrders, type Payer } from "#test/orders.ts";
import { samplePayable } from "#test/tuition-payment.ts";
import { cardSettings, proveCard, rightCard } from "./cards.ts";
import type { DriveOptions } from "./drive.ts";

const listCodes = (): string[] =>
  Array.from({ length: 50 }, (_, index) => [`code-${index}`, `phone-${13_800_000_000 + index}`]).flat();

/**
 * Starts an app with rate limits too high to be reached, a stand-in for WeChat, simulated payments, and records that
 * random requests need.
 */
export async function startDrivenApp(
  t: TestContext,
  { settings, ...more }: TestAppOptions = {},
): Promise<Omit<DriveOptions, "seed" | "seconds">> {
  const outside = await startWeChatStandIn();
  t.after(() => outside.close());
  const wechat = { WECHAT_APP_ID: outside.appId, WECHAT_SECRET: outside.secret, WECHAT_BASE_URL: outside.url };
  // The push project in the contract's example is at a local port where nothing listens.
  const relay = { PUSH_ALLOWED_NETWORKS: "127.0.0.0/8" };
  const app = await startTestApp({
    settings: {
      RATE_LIMIT_OPEN: "1000000000",
      RATE_LIMIT_LOGIN: "1000000000",
      ...wechat,
      ...relay,
      ...cardSettings,
      PAY_SIMULATED: "1",
      ...settings,
    },
    ...more,
  });
  await registerExampleCampus(app);
  const known = {
    reporting: { code: listCodes() },
    attendance: await analyseMonth(app),
    "tuition-payment": { realPayAmount: [6000], amount: [6000], ...(await orderTuition(app)) },
  };
  return { app, contracts, known };
}

/** Registers the key and secret of the contract's examples, so that the example of a push is valid. */
async function registerExampleCampus({ call, signIn }: TestApp): Promise<void> {
  const { token } = await signIn("push-relay");
  const body = {
    appKey: "0A1B2C3D4E5F6071",
    appSecret: "00112233445566778899AABBCCDDEEFF",
    schoolCode: "1000000001",
    name: "示例校园",
  };
  getData(await call("POST", "/wx/push/campusApp/save", { token, body }));
}

/**
 * Imports and analyses a month, which most attendance operations need, since random input is never a valid workbook.
 */
async function analyseMonth(app: TestApp): Promise<{ month: string; userId: string[] }> {
  const month = "2026-11";
  const { monthSheet, originalSheet, employees } = makeMonth({ month, people: 3, seed: 1, generation: 2026 });
  const { send, analyse } = await openAttendance(app, (await app.signIn("platform")).token);
  await send("month", [monthSheet]);
  await send("original", [originalSheet]);
  assert.equal((await analyse(month)).statu, 2);
  return { month, userId: employees.map(({ userId }) => userId) };
}

/**
 * Creates an open order, a paid one, one whose payment has begun, and two more payables, since random input seldom
 * orders the exact amount.
 */
async function orderTuition(app: TestApp): Promise<{ payableId: number[]; orderNo: string[] }> {
  const { token } = await app.signIn("platform");
  const { asAdmin, create, begin, settle } = openOrders(app, token, () => proveCard("right"));
  const owed: Payer[] = [];
  for (const year of ["2019", "2020", "2021", "2022", "2023"]) {
    const body = samplePayable({ studentNo: rightCard, years: year });
    owed.push({ card: rightCard, payableId: Number(getData(await asAdmin("POST", "/payableinfo/save", body))) });
  }
  const [open, paid, begun, ...free] = owed as [Payer, Payer, Payer, ...Payer[]];
  const { orderNo } = getData(await create(open));
  return {
    payableId: free.map(({ payableId }) => payableId),
    orderNo: [orderNo, await settle(paid), await begin(begun)],
  };
}
