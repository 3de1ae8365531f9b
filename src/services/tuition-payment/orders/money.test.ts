import assert from "node:assert/strict";
import { test } from "node:test";
import { addJob } from "#platform/jobs/runner.ts";
import { startTestApp } from "#test/app.ts";
import { codeOf, getData, openOrders } from "#test/orders.ts";
import { until } from "#test/until.ts";
import { toDailyPattern } from "./reconciling.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1", PAY_RECONCILE_TIME: "00:05" } });
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { asAdmin, addPayer, create, act, begin, detail, settle, untilStatus } = openOrders(app, token);

/** A day of Beijing, so many days ago. */
const dayOf = (daysAgo: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Shanghai" }).format(Date.now() - daysAgo * 86_400_000);

const listStatements = async (): Promise<string[]> => {
  const rows = await app.pool<{ day: string }[]>`
    select to_char(day, 'YYYY-MM-DD') as day from tuition_payment.statement where gateway = 'simulated' order by day`;
  return rows.map(({ day }) => day);
};

/** Until nothing of the kind waits any more. */
const untilDone = (task: string) =>
  until(`no job ${task} waits`, async () => {
    const [row] = await app.pool<{ count: number }[]>`
      select count(*)::int as count from graphile_worker.jobs where task_identifier like ${`${task}%`}`;
    return row?.count === 0;
  });

async function reconcileDaily(): Promise<void> {
  await addJob(app.pool, "tuition-payment-reconcile-daily", {});
  await untilDone("tuition-payment-reconcile");
}

test("the time of day is Beijing's, and the clock of jobs is UTC", async () => {
  assert.deepEqual(["10:30", "00:05", "08:00", "23:59"].map(toDailyPattern), [
    "30 2 * * *",
    "5 16 * * *",
    "0 0 * * *",
    "59 15 * * *",
  ]);
});

test("every day yesterday's statement is compared, and the days that were missed since the first order", async () => {
  const [old, missing] = [await settle(await addPayer()), await addPayer()];
  await reconcileDaily();
  assert.deepEqual(await listStatements(), [dayOf(1)], "nobody had ordered before");
  await app.pool`update tuition_payment.pay_order set created_at = now() - interval '3 days' where order_no = ${old}`;
  const short = await begin(missing);
  getData(await act(short, { result: "success", statement: null }));
  await app.pool`update tuition_payment.pay_order set paid_at = now() - interval '2 days' where order_no = ${short}`;
  await reconcileDaily();
  assert.deepEqual(await listStatements(), [3, 2, 1].map(dayOf));
  const { list } = getData(await asAdmin("GET", `/reconcile/list?orderNo=${short}`));
  assert.deepEqual([list[0].date, list[0].type], [dayOf(2), "short"]);
  await app.pool`update tuition_payment.pay_order set created_at = now() - interval '90 days' where order_no = ${old}`;
  await reconcileDaily();
  assert.deepEqual(await listStatements(), [7, 6, 5, 4, 3, 2, 1].map(dayOf), "a week at most");
});

test("what is due of orders is found and done: one closes, one is asked about, one is refunded", async () => {
  const [idle, paying, refunded] = await Promise.all([addPayer(), addPayer(), addPayer()]);
  const created = getData(await create(idle)).orderNo;
  const asked = await begin(paying);
  getData(await act(asked, { result: "success", notify: false }));
  const paid = await settle(refunded);
  getData(await act(paid, { result: "down" }));
  getData(await asAdmin("POST", `/order/refund/${paid}`, { reason: "退学" }));
  getData(await act(paid, { result: "success", notify: false }));
  await app.pool`update tuition_payment.refund set leased_until = null`;
  await app.pool`
    update tuition_payment.pay_order set due_at = now(),
      expires_at = case when order_no = ${created} then now() else expires_at end
    where order_no in (${created}, ${asked}, ${paid})`;
  await untilStatus(idle.card, created, "closed");
  await untilStatus(paying.card, asked, "paid");
  await untilStatus(refunded.card, paid, "refunded");
});

test("a payer who comes back by a form is believed nothing, and sent on with what the gateway says", async () => {
  const payer = await addPayer();
  const orderNo = await begin(payer);
  const post = (form: Record<string, string>, query = "") =>
    fetch(`${app.url}/tuitionpayment/pay/return/simulated${query}`, {
      method: "POST",
      body: new URLSearchParams(form),
      redirect: "manual",
    });
  const lied = await post({ orderNo, status: "paid", result: "success", amount: "6000" });
  assert.deepEqual([lied.status, lied.headers.get("location")], [302, `/?orderNo=${orderNo}&status=paying`]);
  getData(await act(orderNo, { result: "success", notify: false }));
  // Asked a moment ago, the gateway is left alone.
  await app.pool`update tuition_payment.gateway_call set started_at = now() + interval '1 minute'`;
  assert.match((await post({ ORDERID: orderNo })).headers.get("location") ?? "", /status=paying$/);
  await app.pool`update tuition_payment.gateway_call set started_at = now() - interval '4 seconds'`;
  const back = await post({ ORDERID: orderNo });
  assert.deepEqual([back.status, back.headers.get("location")], [302, `/?orderNo=${orderNo}&status=paid`]);
  assert.equal((await detail(payer.card, orderNo)).status, "paid");
  for (const [form, query, code] of [
    [{}, "", "10014"],
    [{ orderNo: "NOBODY0001" }, "", "10014"],
    [{ orderNo: "../../admin" }, "", "10014"],
    [{ orderNo }, "?orderNo=NOBODY0001", "10014"],
  ] as const) {
    const answer = await post(form, query);
    assert.deepEqual(
      [answer.status, ((await answer.json()) as { code: string }).code],
      [404, code],
      JSON.stringify(form),
    );
  }
  const elsewhere = await app.call("POST", "/tuitionpayment/pay/return/ccb", {
    raw: new URLSearchParams({ orderNo }).toString(),
  });
  assert.deepEqual(codeOf(elsewhere), ["10017", 400]);
  const long = await app.call("POST", "/tuitionpayment/pay/return/simulated", { raw: "x".repeat(64 * 1024 + 1) });
  assert.equal(long.status, 413);
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
