import assert from "node:assert/strict";
import { after, test } from "node:test";
import { readSettings } from "#quintet/settings.ts";
import { makeRefund } from "#test/stand-ins/payment-bench.ts";
import { beijingTime } from "#test/stand-ins/payment-books.ts";
import { startWeChatPay } from "#test/stand-ins/payment-wechat.ts";
import { openSimulatedBooks } from "#test/stand-ins/simulated-books.ts";
import { createGateways } from "./configured.ts";
import { NoticeRefusal } from "./gateway.ts";

const platform = await startWeChatPay({ mode: "certificates" });
after(() => platform.close());
let nowMs = Date.now();
const tools = {
  clock: () => nowMs,
  simulatedBooks: openSimulatedBooks(),
  toSimulatedPage: (orderNo: string) => orderNo,
};
const openGateway = (more: Record<string, string> = {}) => {
  const settings = readSettings({ PUBLIC_URL: "https://pay.example.edu", ...platform.settings, ...more });
  const gateway = createGateways(settings, tools).all.get("wechat");
  assert.ok(gateway);
  return gateway;
};
const countFetches = () => platform.calls.filter(({ path }) => path === "/v3/certificates").length;

function bookPaid(orderNo: string): void {
  platform.books.open({ orderNo, amountFen: 100, expiresAtMs: Date.now() + 60_000, notifyUrl: "" });
  void platform.pay(orderNo);
}

test("certificates are fetched once for many who ask at once, and not again for a serial that nobody knows", async () => {
  const gateway = openGateway();
  bookPaid("CERT0001");
  const before = countFetches();
  const genuine = platform.makeNotice("CERT0001");
  await Promise.all(Array.from({ length: 20 }, () => gateway.verifyNotice(genuine)));
  assert.equal(countFetches() - before, 1);
  for (let round = 0; round < 20; round++)
    await assert.rejects(gateway.verifyNotice(platform.makeNotice("CERT0001", "serial")), NoticeRefusal);
  assert.equal(countFetches() - before, 1);
  nowMs += 61_000;
  await assert.rejects(gateway.verifyNotice(platform.makeNotice("CERT0001", "serial")), NoticeRefusal);
  assert.equal(countFetches() - before, 2);
  nowMs -= 61_000;
});

test("certificates that another APIv3 key has sealed are none", async () => {
  bookPaid("CERT0002");
  const gateway = openGateway({ PAY_WECHAT_API_KEY: "vutsrqponmlkjihgfedcba9876543210" });
  await assert.rejects(
    gateway.verifyNotice(platform.makeNotice("CERT0002")),
    /platform certificates could not be fetched/,
  );
});

test("a refund's own notice is believed", async () => {
  const sent: string[] = [];
  platform.notices.plan((orderNo) => (sent.push(orderNo), []));
  bookPaid("CERT0003");
  const gateway = openGateway();
  const order = { orderNo: "CERT0003", amountFen: 100, createdAt: new Date() };
  const request = {
    order,
    refundNo: "RCERT0003",
    amountFen: 40,
    requestedAt: new Date(),
    reason: "",
    notifyUrl: "http://127.0.0.1:9/",
  };
  assert.deepEqual(await gateway.refund(request), { state: "running" });
  assert.deepEqual(sent, ["CERT0003"]);
  const notice = await gateway.verifyNotice(platform.makeRefundNotice("RCERT0003"));
  assert.ok(notice.kind === "refund" && notice.refund.state === "done");
  assert.deepEqual([notice.orderNo, notice.refundNo, notice.refund.amountFen], ["CERT0003", "RCERT0003", 40]);
});

test("a refund under way is not in the books, and one that was closed or is abnormal has failed", async () => {
  const gateway = openGateway();
  const order = { orderNo: "BILL0001", amountFen: 100, createdAt: new Date() };
  bookPaid(order.orderNo);
  const refunds = [makeRefund(order, 10), makeRefund(order, 20), makeRefund(order, 30)];
  for (const request of refunds) await gateway.refund(request);
  const [running, closed, abnormal] = refunds.map(({ refundNo }) => refundNo);
  platform.refundStates
    .set(running ?? "", "PROCESSING")
    .set(closed ?? "", "CLOSED")
    .set(abnormal ?? "", "ABNORMAL");
  const states = await Promise.all(refunds.map((request) => gateway.queryRefund(request)));
  assert.deepEqual(states, [
    { state: "running" },
    { state: "failed", reason: "CLOSED" },
    { state: "failed", reason: "ABNORMAL" },
  ]);
  const statement = await gateway.fetchStatement(beijingTime(Date.now()).slice(0, 10));
  assert.ok(statement.state === "ready");
  const own = statement.rows.filter(({ orderNo }) => orderNo === order.orderNo);
  assert.deepEqual(
    own.map(({ kind }) => kind),
    ["payment"],
  );
});
