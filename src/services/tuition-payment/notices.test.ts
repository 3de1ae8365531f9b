import assert from "node:assert/strict";
import { test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { openOrders } from "#test/orders.ts";
import { tuitionNotices } from "./notices.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1" } });
const { pool } = app;
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { asAdmin, addPayer, act, begin, settle, untilStatus } = openOrders(app, token);
const platform = { pool, settings: { TIME_ZONE: "Asia/Shanghai" } };

async function find(name: "paid" | "refunded") {
  const kind = tuitionNotices.find((one) => one.name === name);
  const since = new Date(Date.now() - 300_000);
  return (await Array.fromAsync(kind?.find({ platform, since } as never) ?? [])).flat();
}

test("payments and refunds are told when they are booked, with the day of the server's time zone", async () => {
  const payer = await addPayer();
  const orderNo = await settle(payer);
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学" }));
  const { refunds } = await untilStatus(payer.card, orderNo, "refunded");
  const [{ refundNo }] = refunds as [{ refundNo: string }];
  await pool`update tuition_payment.pay_order set paid_at = '2026-01-01 16:30:00Z' where order_no = ${orderNo}`;
  await pool`update tuition_payment.refund set done_at = '2026-01-02 16:30:00Z' where refund_no = ${refundNo}`;
  const paid = (await find("paid")).find(({ key }) => key === orderNo);
  assert.deepEqual([paid?.fields["date"], paid?.fields["amount"]], ["2026-01-02", "6000"]);
  const refunded = (await find("refunded")).find(({ key }) => key === refundNo);
  assert.equal(refunded?.fields["date"], "2026-01-03");
});

test("money that pays for nothing is not told as a payment, and its return is", async () => {
  const payer = await addPayer();
  const orderNo = await begin(payer);
  getData(await act(orderNo, { result: "success", amount: 10 }));
  getData(await asAdmin("POST", `/order/giveBack/${orderNo}`, { reason: "金额有误" }));
  await untilStatus(payer.card, orderNo, "refunded");
  const ofStudent = (notices: Awaited<ReturnType<typeof find>>) =>
    notices.filter(({ person }) => person === payer.card);
  assert.deepEqual(ofStudent(await find("paid")), []);
  assert.deepEqual(
    ofStudent(await find("refunded")).map(({ fields }) => fields["amount"]),
    ["10"],
  );
});
