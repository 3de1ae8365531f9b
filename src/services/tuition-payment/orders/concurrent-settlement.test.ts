import assert from "node:assert/strict";
import { test } from "node:test";
import type { Db } from "#platform/database/index.ts";
import { startTestApp } from "#test/app.ts";
import { meetAtLock } from "#test/meeting.ts";
import { codeOf, getData, openOrders, type Payer } from "#test/orders.ts";

// What two orders of one payable do in the same moment.

const app = await startTestApp({ settings: { PAY_SIMULATED: "1" } });
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { addPayer, asAdmin, act, begin, create, isPaid, settle, untilStatus } = openOrders(app, token);

const tuition = (payer: Payer) => ({ payables: [{ payableId: payer.payableId, items: ["学费"] }], amount: 4800 });
const dormitory = (payer: Payer) => ({ payables: [{ payableId: payer.payableId, items: ["住宿费"] }], amount: 1200 });
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
