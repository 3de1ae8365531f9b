import assert from "node:assert/strict";
import { test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { pngBytes } from "#test/disease-command.ts";
import { codeOf, openOrders, tuition } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { giveReceiptNo } from "./receipt-store.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1" } });
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { asCard, asAdmin, addPayer, create, pay, act, begin, settle, untilStatus } = openOrders(app, token);
const year = new Intl.DateTimeFormat("en", { timeZone: "Asia/Shanghai", year: "numeric" }).format();
const receipt = (orderNo: string) => asAdmin("GET", `/order/receipt/${orderNo}`);

test("receipts have numbers without gaps, one an order, given when they are first asked for", async () => {
  const orders: string[] = [];
  for (let order = 0; order < 4; order++) orders.push(await settle(await addPayer()));
  await begin(await addPayer());
  const asked = orders.toReversed().flatMap((orderNo) => [orderNo, orderNo, orderNo]);
  const answers = await Promise.all(asked.map(receipt));
  const numbers = new Set(answers.map((answer) => getData(answer).receiptNo));
  assert.deepEqual(
    [...numbers].toSorted(),
    [1, 2, 3, 4].map((number) => `R${year}-00000${number}`),
  );
  const again = await Promise.all(asked.map(receipt));
  assert.deepEqual(pick(again.map(getData), "receiptNo"), pick(answers.map(getData), "receiptNo"));
});

test("a number that is counted and then taken back leaves no gap; a new year begins anew, and goes beyond six digits", async () => {
  const [one, two, three] = [
    await settle(await addPayer()),
    await settle(await addPayer()),
    await settle(await addPayer()),
  ];
  const last = async () =>
    (await app.pool<{ last: number }[]>`select last from tuition_payment.receipt_count order by year desc limit 1`)[0]
      ?.last;
  const before = await last();
  const [{ id } = { id: 0 }] = await app.pool<{ id: number }[]>`
    select id from tuition_payment.pay_order where order_no = ${one}`;
  await app.pool`alter table tuition_payment.pay_order add constraint fails check (receipt_no is null) not valid`;
  await assert.rejects(giveReceiptNo(app.pool, id, "Asia/Shanghai"), /fails/);
  await app.pool`alter table tuition_payment.pay_order drop constraint fails`;
  assert.equal(await last(), before);
  assert.equal(getData(await receipt(one)).receiptNo, `R${year}-${String((before ?? 0) + 1).padStart(6, "0")}`);
  await app.pool`update tuition_payment.receipt_count set year = year - 1`;
  await app.pool`
    update tuition_payment.pay_order set receipt_no = replace(receipt_no, ${`R${year}`}, 'R2000') where receipt_no is not null`;
  assert.equal(getData(await receipt(two)).receiptNo, `R${year}-000001`);
  await app.pool`update tuition_payment.receipt_count set last = 999999 where year = ${Number(year)}`;
  assert.equal(getData(await receipt(three)).receiptNo, `R${year}-1000000`);
});

test("a receipt is given while a refund runs, with what is refunded so far, and none once all is", async () => {
  const payer = await addPayer();
  const orderNo = await settle(payer);
  getData(await act(orderNo, { result: "down" }));
  const items = [{ payableId: payer.payableId, name: "住宿费" }];
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退宿", items }));
  const running = getData(await asCard("GET", `/order/receipt/${orderNo}`, payer.card));
  assert.deepEqual([running.status, running.refundedAmount, running.amountInWords], ["refunding", 0, "陆仟元整"]);
  getData(await act(orderNo, { result: "success", notify: false }));
  await app.pool`update tuition_payment.refund set leased_until = null where done_at is null`;
  await app.pool`update tuition_payment.pay_order set due_at = now() where order_no = ${orderNo}`;
  await untilStatus(payer.card, orderNo, "paid");
  const rest = getData(await receipt(orderNo));
  assert.deepEqual(
    [rest.receiptNo, rest.refundedAmount, rest.amountInWords],
    [running.receiptNo, 1200, "肆仟捌佰元整"],
  );
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学" }));
  await untilStatus(payer.card, orderNo, "refunded");
  assert.deepEqual(codeOf(await receipt(orderNo)), ["10007", 400]);
});

test("pay looks at the grade of every payable of the order", async () => {
  const [one, two] = [await addPayer({ grade: "G1" }), { card: "", payableId: 0 }];
  const save = {
    studentNo: one.card,
    grade: "G2",
    years: "2027",
    studentName: "张三",
    realPayAmount: 10,
    payItemDetail: "书费:10",
  };
  two.payableId = Number(getData(await asAdmin("POST", "/payableinfo/save", save)));
  const payables = [{ payableId: one.payableId }, { payableId: two.payableId }];
  const { orderNo } = getData(await create(one, { payables, amount: 6010 }));
  const limits = getData(await app.call("GET", "/enablePayLimit/list", { token }));
  const set = async (grade: string, enablePay: number) => {
    const { id } = limits.find((limit: { grade: string }) => limit.grade === grade);
    getData(await app.call("PUT", `/enablePayLimit/setting/${id}/${enablePay}`, { token }));
  };
  for (const grade of ["G1", "G2"]) {
    await set(grade, 2);
    assert.deepEqual(codeOf(await pay(one.card, orderNo)), ["10007", 400], grade);
    await set(grade, 1);
  }
  await app.pool`delete from tuition_payment.pay_limit where grade = 'G2'`;
  assert.deepEqual(codeOf(await pay(one.card, orderNo)), ["10019", 404]);
  assert.deepEqual(codeOf(await create(one, tuition(one))), ["10007", 400], "it is held");
});

test("a receipt names who received the money, with the seal, once the institution has said so", async () => {
  const orderNo = await settle(await addPayer());
  const before = getData(await receipt(orderNo));
  assert.deepEqual([before.payee, before.seal], [undefined, undefined]);
  const { token: operator } = await app.signIn("platform");
  const at = "/platform/institution";
  const { imageName } = getData(
    await app.call("POST", `${at}/picture`, { token: operator, file: ["s.png", pngBytes] }),
  );
  getData(await app.call("PUT", at, { token: operator, body: { name: "示例大学", seal: imageName } }));
  const after = getData(await receipt(orderNo));
  assert.deepEqual([after.payee, after.seal], ["示例大学", imageName]);
});
