import assert from "node:assert/strict";
import { test } from "node:test";
import { inTransaction } from "#platform/database/index.ts";
import { getData, startTestApp } from "#test/app.ts";
import { meetWaiting } from "#test/meeting.ts";
import { codeOf, openOrders } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { until } from "#test/until.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1", REFUND_APPROVAL: "two" } });
const { token, userName } = await app.signIn("tuition-payment", { isSuper: true });
const second = await app.signIn("tuition-payment", { isSuper: true });
const { asAdmin, addPayer, act, detail, begin, settle, payLate, untilStatus, isPaid, findRow } = openOrders(app, token);
const asSecond = (path: string, body?: object) =>
  app.call("POST", `/tuitionpayment${path}`, { token: second.token, ...(body && { body }) });

const refund = async (orderNo: string) =>
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学" })).refunds.at(-1);

test("a refund waits for another person than who has asked for it, and runs once", async () => {
  const payer = await addPayer();
  const orderNo = await settle(payer);
  const { refundNo, status } = await refund(orderNo);
  assert.equal(status, "asked");
  const row = await findRow(orderNo, "refundAsked");
  assert.deepEqual([row.actions, row.amount, row.refundNo], [["refund", "note"], 6000, refundNo]);
  const approve = `/order/refund/${orderNo}/approve/${refundNo}`;
  assert.deepEqual(codeOf(await asAdmin("POST", approve)), ["10008", 403]);
  assert.deepEqual(codeOf(await asAdmin("POST", `/desk/${row.id}/refund`)), ["10008", 403]);
  assert.deepEqual(codeOf(await asAdmin("POST", `/order/refund/${orderNo}/refuse/${refundNo}`, { reason: "否" })), [
    "10008",
    403,
  ]);
  assert.deepEqual(codeOf(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "再退" })), ["10007", 400]);
  assert.deepEqual([(await detail(payer.card, orderNo)).status, await isPaid(payer)], ["paid", true]);
  const { ledger } = getData(await asAdmin("GET", `/order/history/${orderNo}`));
  assert.equal(ledger.length, 2, "nothing is owed yet");
  const answers = await Promise.all([asSecond(approve), asSecond(approve), asSecond(`/desk/${row.id}/refund`)]);
  assert.deepEqual(answers.map(({ json }) => json.code).toSorted(), ["0", "10007", "10007"]);
  assert.equal((await untilStatus(payer.card, orderNo, "refunded"))["refundedAmount"], 6000);
  const after = await findRow(orderNo, "refundAsked");
  assert.deepEqual([after.handled, after.by], [true, second.userName]);
  const { refunds } = getData(await asAdmin("GET", `/order/history/${orderNo}`));
  assert.deepEqual(pick(refunds, "by", "decidedBy"), [`${userName} ${second.userName}`]);
});

test("a refund that the second person refuses leaves its items paid, and can be asked for anew", async () => {
  const payer = await addPayer();
  const orderNo = await settle(payer);
  const { refundNo } = await refund(orderNo);
  const order = getData(await asSecond(`/order/refund/${orderNo}/refuse/${refundNo}`, { reason: "缺材料" }));
  assert.deepEqual([order.status, order.refunds[0].status, order.refunds[0].items], ["paid", "refused", []]);
  assert.equal((await findRow(orderNo, "refundAsked")).note, "缺材料");
  const again = await refund(orderNo);
  const { id } = (await getData(await asAdmin("GET", "/desk/list?kind=refundAsked&handled=false"))).list.find(
    (row: { orderNo: string }) => row.orderNo === orderNo,
  );
  getData(await asSecond(`/desk/${id}/note`, { note: "仍缺材料" }));
  assert.equal((await detail(payer.card, orderNo)).refunds.at(-1).status, "refused");
  assert.notEqual(again.refundNo, refundNo);
  assert.equal((await detail(payer.card, orderNo)).status, "paid");
});

test("money in another amount stays as it came until the second person lets it go back", async () => {
  const payer = await addPayer();
  const orderNo = await begin(payer);
  getData(await act(orderNo, { result: "success", amount: 1 }));
  const asked = getData(await asAdmin("POST", `/order/giveBack/${orderNo}`, { reason: "金额有误" }));
  assert.deepEqual(codeOf(await asAdmin("POST", `/order/giveBack/${orderNo}`, { reason: "再退" })), ["10007", 400]);
  const [{ refundNo, status }] = asked.refunds;
  assert.deepEqual([asked.status, status], ["paying", "asked"]);
  assert.deepEqual((await findRow(orderNo, "otherAmount")).actions, ["ask", "note"]);
  getData(await asSecond(`/order/refund/${orderNo}/refuse/${refundNo}`, { reason: "先核实" }));
  assert.deepEqual((await findRow(orderNo, "otherAmount")).actions, ["ask", "refund", "note"]);
  const once = getData(await asAdmin("POST", `/order/giveBack/${orderNo}`, { reason: "已核实" })).refunds.at(-1);
  getData(await asSecond(`/order/refund/${orderNo}/approve/${once.refundNo}`));
  assert.equal((await untilStatus(payer.card, orderNo, "refunded"))["refundedAmount"], 1);
  assert.equal((await findRow(orderNo, "otherAmount")).by, second.userName);
});

test("a failed refund that is refused the second time waits again", async () => {
  const payer = await addPayer();
  const orderNo = await settle(payer);
  getData(await act(orderNo, { result: "fail", notify: false }));
  const { refundNo } = await refund(orderNo);
  getData(await asSecond(`/order/refund/${orderNo}/approve/${refundNo}`));
  const row = await until("it has failed", () => findRow(orderNo, "refundFailed"));
  getData(await asAdmin("POST", `/desk/${row.id}/again`));
  const next = (await detail(payer.card, orderNo)).refunds.at(-1);
  assert.equal(next.status, "asked");
  getData(await asSecond(`/order/refund/${orderNo}/refuse/${next.refundNo}`, { reason: "改线下" }));
  assert.deepEqual((await findRow(orderNo, "refundFailed")).actions, ["again", "outside", "note"]);
  getData(await asAdmin("POST", `/order/refund/${orderNo}/outside/${refundNo}`, { evidence: "凭证 3" }));
  const order = await detail(payer.card, orderNo);
  assert.deepEqual([order.status, order.refundedAmount], ["refunded", 6000]);
});

test("late money is not settled while its refund waits for the second person, who may still let it go back", async () => {
  const { payer, orderNo } = await payLate();
  const { id, actions } = await findRow(orderNo, "late");
  assert.deepEqual(actions, ["ask", "settle", "refund", "note"]);
  const inTurn = await inTransaction(app.pool, async (tx) => {
    await tx`lock table tuition_payment.refund in share mode`;
    const refunding = asAdmin("POST", `/desk/${id}/refund`, { reason: "已线下缴纳" });
    await meetWaiting(app.pool, 1);
    const settling = asSecond(`/desk/${id}/settle`);
    await meetWaiting(app.pool, 2);
    return { refunding, settling };
  });
  assert.deepEqual(
    [codeOf(await inTurn.refunding), codeOf(await inTurn.settling)],
    [
      ["0", 200],
      ["10007", 400],
    ],
  );
  const order = await detail(payer.card, orderNo);
  assert.deepEqual([order.status, pick(order.refunds, "status")], ["closed", ["asked"]]);
  getData(await asSecond(`/order/refund/${orderNo}/approve/${order.refunds[0].refundNo}`));
  assert.equal((await untilStatus(payer.card, orderNo, "refunded"))["refundedAmount"], 6000);
  assert.equal(await isPaid(payer), true);
});

test("a refund that waits for the second person is not let run once its money pays for the order", async () => {
  const { payer, orderNo } = await payLate();
  const asked = getData(await asAdmin("POST", `/order/giveBack/${orderNo}`, { reason: "已线下缴纳" }));
  getData(await asAdmin("PUT", `/payableinfo/pay/${payer.payableId}/false`));
  getData(await asAdmin("POST", `/order/ask/${orderNo}`));
  assert.equal((await detail(payer.card, orderNo)).status, "paid");
  const approve = `/order/refund/${orderNo}/approve/${asked.refunds[0].refundNo}`;
  assert.deepEqual(codeOf(await asSecond(approve)), ["10007", 400]);
  getData(await asSecond(approve.replace("approve", "refuse"), { reason: "已入账" }));
  const order = await detail(payer.card, orderNo);
  assert.deepEqual([order.status, order.refundedAmount, pick(order.refunds, "status")], ["paid", 0, ["refused"]]);
  assert.equal(await isPaid(payer), true);
});
