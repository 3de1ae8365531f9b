import assert from "node:assert/strict";
import { test } from "node:test";
import type { Db } from "#platform/database/index.ts";
import { addJob } from "#platform/jobs/runner.ts";
import { getData, startTestApp } from "#test/app.ts";
import { meetAtLock } from "#test/meeting.ts";
import { codeOf, dormitory, openOrders, type Payer, tuition } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { until } from "#test/until.ts";
import { toDailyPattern } from "./reconciling.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1", PAY_RECONCILE_TIME: "00:05" } });
const { token, userName } = await app.signIn("tuition-payment", { isSuper: true });
const operator = await app.signIn("platform");
const orders = openOrders(app, token);
const { asCard, asAdmin, addPayer, create, act, notify, detail, begin, settle, untilStatus, isPaid } = orders;

const dayOf = (daysAgo: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Shanghai" }).format(Date.now() - daysAgo * 86_400_000);

async function reconcileDaily(): Promise<unknown[]> {
  await addJob(app.pool, "tuition-payment-reconcile-daily", {});
  await until("no job of reconciling waits", async () => {
    const jobs = await app.pool`
      select from graphile_worker.jobs where task_identifier like 'tuition-payment-reconcile%'`;
    return jobs.length === 0;
  });
  const statements = await app.pool`
    select to_char(day, 'YYYY-MM-DD') as day from tuition_payment.statement where gateway = 'simulated' order by day`;
  return pick(statements, "day");
}

test("the time of day is Beijing's, and the clock of jobs is UTC", async () => {
  const patterns = ["10:30", "00:05", "08:00", "23:59"].map(toDailyPattern);
  assert.deepEqual(patterns, ["30 2 * * *", "5 16 * * *", "0 0 * * *", "59 15 * * *"]);
});

test("every day yesterday's statement is compared, and the days that were missed since the first order", async () => {
  const [old, missing] = [await settle(await addPayer()), await addPayer()];
  assert.deepEqual(await reconcileDaily(), [dayOf(1)], "nobody had ordered before");
  await app.pool`update tuition_payment.pay_order set created_at = now() - interval '3 days' where order_no = ${old}`;
  const short = await begin(missing);
  getData(await act(short, { result: "success", statement: null }));
  await app.pool`update tuition_payment.pay_order set paid_at = now() - interval '2 days' where order_no = ${short}`;
  assert.deepEqual(await reconcileDaily(), [3, 2, 1].map(dayOf));
  const { list } = getData(await asAdmin("GET", `/reconcile/list?orderNo=${short}`));
  assert.deepEqual([list[0].date, list[0].type], [dayOf(2), "short"]);
  await app.pool`update tuition_payment.pay_order set created_at = now() - interval '90 days' where order_no = ${old}`;
  assert.deepEqual(await reconcileDaily(), [7, 6, 5, 4, 3, 2, 1].map(dayOf), "a week at most");
});

test("a payer who comes back by a form is believed nothing, and sent on with what the gateway says", async () => {
  const payer = await addPayer();
  const orderNo = await begin(payer);
  const sendForm = (target: string, form: string) =>
    app.call("POST", `/tuitionpayment/pay/return/${target}`, { raw: new URLSearchParams(form) });
  const post = async (form: Record<string, string>) => {
    const [method, body] = ["POST", new URLSearchParams(form)];
    const url = `${app.url}/tuitionpayment/pay/return/simulated`;
    const { status, headers } = await fetch(url, { method, body, redirect: "manual" });
    return [status, headers.get("location")];
  };
  const paying = [302, `/?orderNo=${orderNo}&status=paying`];
  assert.deepEqual(await post({ orderNo, status: "paid", result: "success", amount: "6000" }), paying);
  getData(await act(orderNo, { result: "success", notify: false }));
  // The logged calls get a start time in the future, so the payer's return causes no query.
  await app.pool`update tuition_payment.gateway_call set started_at = now() + interval '1 minute'`;
  assert.deepEqual(await post({ ORDERID: orderNo }), paying);
  await app.pool`update tuition_payment.gateway_call set started_at = now() - interval '4 seconds'`;
  assert.deepEqual(await post({ ORDERID: orderNo }), [302, `/?orderNo=${orderNo}&status=paid`]);
  assert.equal((await detail(payer.card, orderNo)).status, "paid");
  for (const [raw, query] of [
    ["", ""],
    ["orderNo=NOBODY0001", ""],
    ["orderNo=../../admin", ""],
    [`orderNo=${orderNo}`, "?orderNo=NOBODY0001"],
  ] as const)
    assert.deepEqual(codeOf(await sendForm(`simulated${query}`, raw)), ["10014", 404], raw);
  const elsewhere = await sendForm("ccb", `orderNo=${orderNo}`);
  assert.deepEqual(codeOf(elsewhere), ["10017", 400]);
  assert.equal((await sendForm("simulated", "x".repeat(64 * 1024 + 1))).status, 413);
});

test("a process whose clock is an hour ahead closes nothing early, and takes what is paid", async (t) => {
  const [idle, payer] = [await addPayer(), await addPayer()];
  const { now } = Date;
  t.mock.method(Date, "now", () => now() + 3_600_000);
  const created = getData(await create(idle, { limitSeconds: 600 })).orderNo;
  const orderNo = await settle(payer, { limitSeconds: 600 });
  const asked = await begin(await addPayer());
  await app.pool`update tuition_payment.pay_order set due_at = now() where order_no = ${asked}`;
  await until("it is asked about", async () => {
    const { calls } = getData(await asAdmin("GET", `/order/history/${asked}`));
    return calls.length > 1;
  });
  assert.equal((await detail(idle.card, created)).status, "created");
  assert.equal((await detail(payer.card, orderNo)).status, "paid");
});

const giveBack = (orderNo: string, body: unknown = { reason: "金额有误" }) =>
  asAdmin("POST", `/order/giveBack/${orderNo}`, body);
const readHistory = async (orderNo: string) => getData(await asAdmin("GET", `/order/history/${orderNo}`));
const listMismatched = async () =>
  pick(getData(await asAdmin("GET", "/order/list?mismatched=true&pageSize=100")).list, "orderNo");

test("money in another amount by a fen pays nothing, and is given back by a decision alone", async () => {
  for (const amount of [5999.99, 6000.01]) {
    const payer = await addPayer();
    const orderNo = await begin(payer);
    assert.equal((await readHistory(orderNo)).receivedAmount, null);
    assert.equal(getData(await act(orderNo, { result: "success", amount })).reply.code, "10021");
    assert.equal((await detail(payer.card, orderNo)).status, "paying");
    assert.equal((await readHistory(orderNo)).receivedAmount, amount);
    assert.deepEqual(await listMismatched(), [orderNo]);
    assert.equal(getData(await asAdmin("GET", "/order/figures")).mismatchedOrders, 1);
    assert.deepEqual(codeOf(await create(payer)), ["10007", 400]);
    const answers = await Promise.all([1, 2, 3].map(() => giveBack(orderNo)));
    assert.deepEqual(answers.map(({ json }) => json.code).toSorted(), ["0", "10007", "10007"]);
    const order = await untilStatus(payer.card, orderNo, "refunded");
    assert.deepEqual([order["amount"], order["refundedAmount"]], [6000, amount]);
    assert.equal(await isPaid(payer), false);
    assert.deepEqual(await listMismatched(), []);
    const { ledger } = await readHistory(orderNo);
    const paid = [`payment gateway ${amount}`, `payment surplus ${-amount}`];
    const refunded = [`refund surplus ${amount}`, `refund gateway ${-amount}`];
    assert.deepEqual(pick(ledger, "what", "account", "amount"), [...paid, ...refunded]);
    const { events } = getData(await asAdmin("GET", `/order/info/${orderNo}`));
    assert.ok(pick(events, "from", "to", "by").includes(`paying refunding ${userName}`));
    getData(await asAdmin("POST", "/reconcile/run", { gateway: "simulated", date: dayOf(0) }));
    assert.equal(getData(await asAdmin("GET", `/reconcile/list?orderNo=${orderNo}`)).totalCount, 0);
    assert.equal((await detail(payer.card, await settle(payer))).status, "paid");
    assert.deepEqual(codeOf(await giveBack(orderNo)), ["10007", 400]);
  }
});

test("only another amount can be given back so", async () => {
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  assert.deepEqual(codeOf(await giveBack(orderNo)), ["10007", 400]);
  assert.deepEqual(codeOf(await giveBack("NOBODY0001")), ["10014", 404]);
  assert.deepEqual(codeOf(await giveBack(orderNo, { reason: "" })), ["10001", 400]);
  const asked = await begin(await addPayer());
  assert.deepEqual(codeOf(await giveBack(asked)), ["10007", 400]);
  getData(await act(asked, { result: "down" }));
  assert.deepEqual(codeOf(await giveBack(asked)), ["20004", 502]);
  // The exact amount has arrived, so the query settles the order and nothing is refunded.
  getData(await act(asked, { result: "success", notify: false }));
  assert.deepEqual(codeOf(await giveBack(asked)), ["10007", 400]);
  const { list } = getData(await asAdmin("GET", `/order/list?keyword=${asked}`));
  assert.deepEqual([list[0].status, list[0].refunds], ["paid", []]);
});

test("another amount for a closed order is given back too; the right one after it settles the order", async () => {
  const late = await addPayer();
  const closed = await begin(late);
  getData(await asCard("POST", `/order/close/${closed}`, late.card));
  assert.equal(getData(await act(closed, { result: "success", amount: 1 })).reply.code, "10021");
  const next = await settle(late);
  getData(await giveBack(closed));
  assert.equal((await untilStatus(late.card, closed, "refunded"))["refundedAmount"], 1);
  assert.equal((await detail(late.card, next)).status, "paid");
  assert.ok(await isPaid(late));
  const twice = await addPayer();
  const first = await begin(twice);
  getData(await asCard("POST", `/order/close/${first}`, twice.card));
  getData(await act(first, { result: "success", amount: 1 }));
  await settle(twice);
  assert.equal(getData(await act(first, { result: "success", amount: 6000 })).reply.code, "0");
  assert.equal((await untilStatus(twice.card, first, "refunded"))["refundedAmount"], 6000);
  assert.equal((await readHistory(first)).receivedAmount, null);
  const payer = await addPayer();
  const orderNo = await begin(payer);
  getData(await act(orderNo, { result: "success", amount: 1 }));
  const { notice } = getData(await act(orderNo, { result: "success", amount: 6000, notify: false }));
  assert.deepEqual(codeOf(await notify("simulated", notice)), ["0", 200]);
  assert.equal((await readHistory(orderNo)).receivedAmount, null);
  assert.deepEqual(codeOf(await giveBack(orderNo)), ["10007", 400]);
});

test("why a gateway does not refund stands in the order's history, and that it does not in the platform's health", async () => {
  const payer = await addPayer();
  const orderNo = await settle(payer);
  const { state, figures } = await readHealth();
  assert.equal(state, "ok");
  const none = { overdueSeconds: 0, failingRefunds: 0, mismatchedOrders: 0 };
  assert.deepEqual(figures, { gateways: "simulated", ...none, lastStatement: dayOf(0) });
  getData(await act(orderNo, { result: "down" }));
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学" }));
  const refused = await until("the refund is refused", async () => {
    const { refunds } = await readHistory(orderNo);
    return refunds[0]?.["failure"] && refunds[0];
  });
  assert.match(String(refused["failure"]), /^simulated: /);
  assert.equal(refused["doneTime"], null);
  // Health reports a refund as failing only an hour after its request.
  const told = async () => readHealth().then((part) => [part.state, part.figures["failingRefunds"]]);
  assert.deepEqual(await told(), ["ok", 0]);
  await app.pool`update tuition_payment.refund set requested_at = now() - interval '61 minutes' where done_at is null`;
  assert.deepEqual(await told(), ["degraded", 1]);
  getData(await act(orderNo, { result: "success", notify: false }));
  await untilStatus(payer.card, orderNo, "refunded");
  const { refunds } = await readHistory(orderNo);
  assert.equal(refunds[0]?.["failure"], null);
  assert.match(String(refunds[0]?.["doneTime"]), /^\d{4}-/);
});

async function readHealth(): Promise<{ state: string; figures: Record<string, unknown> }> {
  const { parts } = getData(await app.call("GET", "/platform/health", { token: operator.token }));
  const { name: _, ...part } = parts.find(({ name }: { name: string }) => name === "payments");
  return part;
}

const lockPayable = (payer: Payer) => (tx: Db) =>
  tx`select from tuition_payment.payable where id = ${payer.payableId} for update`;

test("of one payable two orders that are paid in the same moment pay it", async () => {
  const payer = await addPayer();
  const orders = [await begin(payer, tuition(payer)), await begin(payer, dormitory(payer))];
  const answers = await meetAtLock(app.pool, lockPayable(payer), () => orders.map((orderNo) => act(orderNo)));
  for (const answer of answers) assert.equal(getData(answer).reply.code, "0");
  assert.equal(await isPaid(payer), true);
});

test("an item that is given back while the other one is paid leaves the payable unpaid, and can be ordered again", async () => {
  const payer = await addPayer();
  const refunded = await settle(payer, tuition(payer));
  const paid = await begin(payer, dormitory(payer));
  const refund = async () => {
    await asAdmin("POST", `/order/refund/${refunded}`, { reason: "转专业" });
    return untilStatus(payer.card, refunded, "refunded");
  };
  await meetAtLock<unknown>(app.pool, lockPayable(payer), () => [refund(), act(paid)]);
  await untilStatus(payer.card, paid, "paid");
  assert.equal(await isPaid(payer), false);
  assert.deepEqual(codeOf(await create(payer, tuition(payer))), ["0", 200]);
});
