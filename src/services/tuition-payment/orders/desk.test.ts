import assert from "node:assert/strict";
import { test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { codeOf, dormitory, openOrders, type Payer, tuition } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { until } from "#test/until.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1" } });
const { token, userName } = await app.signIn("tuition-payment", { isSuper: true });
const plain = await app.signIn("tuition-payment");
const { asCard, asAdmin, addPayer, create, act, detail, begin, settle, payLate, untilStatus, isPaid, findRow } =
  openOrders(app, token);
const asPlain = (method: string, path: string, body?: unknown) =>
  app.call(method, `/tuitionpayment${path}`, { token: plain.token, ...(body === undefined ? {} : { body }) });

const today = new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Shanghai" }).format();
const doAt = (id: string, action: string, body: object = {}) => asAdmin("POST", `/desk/${id}/${action}`, body);
const run = async () => getData(await asAdmin("POST", "/reconcile/run", { gateway: "simulated", date: today }));
const readLedger = async (orderNo: string) =>
  pick(getData(await asAdmin("GET", `/order/history/${orderNo}`)).ledger, "what", "account", "amount");

async function checkBooks(): Promise<void> {
  const rows = await app.pool`
    select posting from tuition_payment.ledger group by posting having sum(amount_fen) <> 0`;
  assert.deepEqual(rows, []);
}

async function fail(payer: Payer, items?: object[]): Promise<{ orderNo: string; refundNo: string }> {
  const orderNo = await settle(payer);
  getData(await act(orderNo, { result: "fail", notify: false }));
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学", ...(items && { items }) }));
  const order = await until("the refund has failed", async () => {
    const { refunds, ...rest } = await detail(payer.card, orderNo);
    return refunds[0].status === "failed" && { ...rest, refunds };
  });
  assert.deepEqual([order.status, order.refundedAmount], ["paid", 0]);
  return { orderNo, refundNo: order.refunds[0].refundNo };
}

const heal = async (orderNo: string) => getData(await act(orderNo, { result: "success", notify: false }));

test("whoever may not, and what is not there, decides nothing", async () => {
  const { orderNo, refundNo } = await fail(await addPayer());
  const row = await findRow(orderNo, "refundFailed");
  assert.deepEqual(codeOf(await asPlain("POST", `/desk/${row.id}/again`, {})), ["10008", 403]);
  assert.deepEqual(codeOf(await asPlain("GET", "/desk/list")), ["0", 200]);
  const refuse = async (path: string, body: object = {}) => codeOf(await asAdmin("POST", path, body));
  assert.deepEqual(await refuse(`/order/refund/NOBODY0001/again/${refundNo}`), ["10014", 404]);
  assert.deepEqual(await refuse(`/order/refund/${orderNo}/again/NOBODY0001`), ["10005", 404]);
  for (const evidence of [undefined, "", " ", "x".repeat(201)])
    assert.equal((await refuse(`/order/refund/${orderNo}/outside/${refundNo}`, { evidence }))[1], 400);
  assert.deepEqual(await refuse(`/order/refund/${orderNo}/approve/${refundNo}`), ["10007", 400]);
  assert.deepEqual(await refuse("/desk/x1/ask"), ["10001", 400]);
  assert.deepEqual(await refuse("/desk/d999999999/ask"), ["10005", 404]);
  for (const action of ["ask", "settle", "refund", "dance"])
    assert.deepEqual(await refuse(`/desk/${row.id}/${action}`), ["10007", 400], action);
  assert.deepEqual(await refuse(`/desk/${row.id}/outside`), ["10001", 400]);
  assert.deepEqual(await refuse(`/desk/${row.id}/note`), ["10001", 400]);
  assert.deepEqual(await refuse("/order/ask/NOBODY0001"), ["10014", 404]);
  const created = getData(await create(await addPayer())).orderNo;
  assert.deepEqual(await refuse(`/order/ask/${created}`), ["10017", 400]);
});

test("a refund that is refused for good leaves the order paid; once more it has another number, and is done once", async () => {
  const payer = await addPayer();
  const { orderNo, refundNo } = await fail(payer);
  assert.equal(await isPaid(payer), true);
  const row = await findRow(orderNo, "refundFailed");
  assert.deepEqual(
    [row.amount, row.actions, row.handled, row.refundNo],
    [6000, ["again", "outside", "note"], false, refundNo],
  );
  await heal(orderNo);
  const again = () => asAdmin("POST", `/order/refund/${orderNo}/again/${refundNo}`);
  const answers = await Promise.all([again(), again(), doAt(row.id, "again")]);
  assert.deepEqual(answers.map(({ json }) => json.code).toSorted(), ["0", "10007", "10007"]);
  const order = await untilStatus(payer.card, orderNo, "refunded");
  const refunds = order["refunds"] as { refundNo: string; status: string; items: object[] }[];
  assert.deepEqual(pick(refunds, "status"), ["failed", "done"]);
  assert.notEqual(refunds[1]?.refundNo, refundNo);
  assert.deepEqual([refunds[0]?.items.length, refunds[1]?.items.length, order["refundedAmount"]], [0, 2, 6000]);
  assert.equal(await isPaid(payer), false);
  const after = await findRow(orderNo, "refundFailed");
  assert.deepEqual([after.handled, after.by, after.actions], [true, userName, []]);
  assert.deepEqual(await readLedger(orderNo), [
    "payment gateway 6000",
    "payment tuition -6000",
    "refundDue tuition 6000",
    "refundDue surplus -6000",
    "refundFailed surplus 6000",
    "refundFailed tuition -6000",
    "refundDue tuition 6000",
    "refundDue surplus -6000",
    "refund surplus 6000",
    "refund gateway -6000",
  ]);
});

test("a failed refund of one item is given back by hand, and the other item goes on", async () => {
  const payer = await addPayer();
  const { orderNo, refundNo } = await fail(payer, [{ payableId: payer.payableId, name: "住宿费" }]);
  const evidence = "现金支出凭证 2026-117";
  const outside = () => asAdmin("POST", `/order/refund/${orderNo}/outside/${refundNo}`, { evidence });
  const answers = await Promise.all([outside(), outside()]);
  assert.deepEqual(answers.map(({ json }) => json.code).toSorted(), ["0", "10007"]);
  const order = await detail(payer.card, orderNo);
  assert.deepEqual([order.status, order.refundedAmount, order.refunds[0].status], ["paid", 1200, "done"]);
  assert.deepEqual((await readLedger(orderNo)).slice(-2), ["refund tuition 1200", "refund hand -1200"]);
  const { refunds } = getData(await asAdmin("GET", `/order/history/${orderNo}`));
  assert.deepEqual([refunds[0].evidence, refunds[0].endedBy], [evidence, userName]);
  assert.equal(await isPaid(payer), false);
  assert.equal((await create(payer, dormitory(payer))).json.code, "0");
  await run();
  assert.equal(
    getData(await asAdmin("GET", `/reconcile/list?orderNo=${orderNo}`)).totalCount,
    0,
    "it is in no statement",
  );
});

test("a refund that failed is over once its items go back otherwise, or somebody leaves it as it is", async () => {
  const [one, other] = [await addPayer(), await addPayer()];
  const failed = await fail(one);
  await heal(failed.orderNo);
  getData(await asAdmin("POST", `/order/refund/${failed.orderNo}`, { reason: "退学" }));
  await untilStatus(one.card, failed.orderNo, "refunded");
  const again = ({ orderNo, refundNo }: typeof failed) => asAdmin("POST", `/order/refund/${orderNo}/again/${refundNo}`);
  assert.deepEqual(codeOf(await again(failed)), ["10007", 400]);
  const left = await fail(other);
  const row = await findRow(left.orderNo, "refundFailed");
  const closed = getData(await doAt(row.id, "note", { note: "学生撤回申请" }));
  assert.deepEqual([closed.handled, closed.note, closed.by], [true, "学生撤回申请", userName]);
  assert.deepEqual(codeOf(await again(left)), ["10007", 400]);
  assert.equal((await detail(other.card, left.orderNo)).status, "paid");
});

test("money after a decision waits at the desk; one of two who settle it does", async () => {
  const { payer, orderNo } = await payLate();
  const row = await findRow(orderNo, "late");
  assert.deepEqual([row.amount, row.theirAmount, row.actions], [6000, 6000, ["ask", "settle", "refund", "note"]]);
  const answers = await Promise.all([doAt(row.id, "settle"), doAt(row.id, "settle")]);
  assert.deepEqual(answers.map(({ json }) => json.code).toSorted(), ["0", "10007"]);
  assert.equal((await detail(payer.card, orderNo)).status, "paid");
  assert.deepEqual([await isPaid(payer), (await findRow(orderNo, "late")).by], [true, userName]);
  const adjustments = getData(await asAdmin("GET", `/payableinfo/adjustments?payableId=${payer.payableId}`)).list;
  assert.deepEqual(pick(adjustments, "kind", "undone"), ["decision true"]);
});

test("money after a decision goes back by the desk, or stays there with a note", async () => {
  const { payer, orderNo } = await payLate();
  const { id } = await findRow(orderNo, "late");
  getData(await doAt(id, "refund", { reason: "已线下缴纳" }));
  assert.equal((await untilStatus(payer.card, orderNo, "refunded"))["refundedAmount"], 6000);
  const kept = await payLate();
  const waiting = await findRow(kept.orderNo, "late");
  getData(await doAt(waiting.id, "note", { note: "转下学年" }));
  assert.deepEqual(codeOf(await doAt(waiting.id, "refund")), ["10007", 400]);
  getData(await asAdmin("POST", `/order/ask/${kept.orderNo}`));
  assert.equal((await findRow(kept.orderNo, "late")).handled, true, "the same money does not wait again");
});

test("money without a place whose refund fails is owed until it is given back", async () => {
  const payer = await addPayer();
  const orderNo = await begin(payer);
  getData(await act(orderNo, { result: "success", amount: 1 }));
  getData(await act(orderNo, { result: "fail", notify: false }));
  getData(await doAt((await findRow(orderNo, "otherAmount")).id, "refund"));
  const row = await until("its refund has failed", () => findRow(orderNo, "refundFailed"));
  assert.deepEqual(row.actions, ["again", "outside"]);
  assert.deepEqual(codeOf(await asAdmin("GET", `/order/receipt/${orderNo}`)), ["10007", 400]);
  assert.deepEqual(codeOf(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退款" })), ["10007", 400]);
  getData(await doAt(row.id, "outside", { evidence: "转账回单 9" }));
  assert.equal((await detail(payer.card, orderNo)).status, "refunded");
  assert.deepEqual((await readLedger(orderNo)).slice(-2), ["refund surplus 1", "refund hand -1"]);
  assert.equal((await create(payer)).json.code, "0");
});

test("a statement has the gateway asked about what only it has, and closes what that settles", async () => {
  const payer = await addPayer();
  const lost = await begin(payer);
  getData(await asCard("POST", `/order/close/${lost}`, payer.card));
  getData(await act(lost, { result: "success", notify: false }));
  getData(await act("FOREIGN00001", { result: "success", amount: 5, notify: false }));
  const { long } = await run();
  assert.ok(long >= 2);
  assert.equal((await detail(payer.card, lost)).status, "paid");
  const settled = await findRow(lost, "long");
  assert.deepEqual([settled.handled, settled.by], [true, null]);
  const foreign = await findRow("FOREIGN00001", "long");
  assert.deepEqual(foreign.actions, ["note"]);
  getData(await asAdmin("PUT", `/reconcile/handle/${foreign.id.slice(1)}`, { note: "他校款项" }));
  assert.deepEqual(codeOf(await doAt(foreign.id, "note", { note: "x" })), ["10007", 400]);
  assert.equal((await findRow("FOREIGN00001", "long")).by, userName);
});

async function paySecond(payer: Payer): Promise<string> {
  const orderNo = await settle(payer);
  // The simulated gateway has only one payment per order, so the second payment is written into its storage directly.
  await app.pool`
    insert into tuition_payment.simulated_trade (order_no, trade, paid_at)
    select ${`${orderNo}B`}, jsonb_set(trade, '{tradeNo}', '"SECOND1"'), paid_at from tuition_payment.simulated_trade
    where order_no = ${orderNo}`;
  await run();
  return orderNo;
}

test("a second payment of an order is a row by itself, of whichever day, and goes back once by the desk", async () => {
  const payer = await addPayer();
  const orderNo = await paySecond(payer);
  const { tradeNo } = await detail(payer.card, orderNo);
  const rows = getData(await asAdmin("GET", `/reconcile/list?orderNo=${orderNo}`)).list;
  assert.deepEqual(pick(rows, "type", "tradeNo", "ourAmount", "theirAmount"), ["long SECOND1 null 6000"]);
  assert.notEqual(tradeNo, "SECOND1");
  const row = await findRow(orderNo, "long");
  assert.deepEqual(row.actions, ["ask", "refund", "note"]);
  await app.pool`update tuition_payment.simulated_trade set trade = jsonb_set(trade, '{amountFen}', '1200000') where order_no = ${orderNo}`;
  const answers = await Promise.all([doAt(row.id, "refund"), doAt(row.id, "refund")]);
  assert.deepEqual(answers.map(({ json }) => json.code).toSorted(), ["0", "10007"]);
  const order = await until("it has gone back", async () => {
    const now = await detail(payer.card, orderNo);
    return now.refunds[0]?.status === "done" && now;
  });
  assert.deepEqual([order.status, order.refundedAmount, order.refunds.length], ["paid", 0, 1]);
  assert.deepEqual((await readLedger(orderNo)).slice(2), [
    "secondPayment gateway 6000",
    "secondPayment surplus -6000",
    "refund surplus 6000",
    "refund gateway -6000",
  ]);
  await checkBooks();
});

test("a second payment stays at the desk when the gateway is asked about its order", async () => {
  const orderNo = await paySecond(await addPayer());
  const row = await findRow(orderNo, "long");
  assert.equal(getData(await doAt(row.id, "ask")).handled, false);
  getData(await asPlain("POST", `/order/ask/${orderNo}`));
  assert.equal((await findRow(orderNo, "long")).handled, false);
});

test("an order stays paid when the refund of its second payment fails", async () => {
  const payer = await addPayer();
  const orderNo = await paySecond(payer);
  getData(await act(orderNo, { result: "fail", notify: false }));
  getData(await doAt((await findRow(orderNo, "long")).id, "refund"));
  const order = await until("the refund has failed", async () => {
    const now = await detail(payer.card, orderNo);
    return now.refunds[0]?.status === "failed" && now;
  });
  assert.equal(order.status, "paid");
  assert.equal(await isPaid(payer), true);
});

test("a refund that the gateway makes although it was returned otherwise stays at the desk", async () => {
  const payer = await addPayer();
  const { orderNo, refundNo } = await fail(payer);
  getData(await asAdmin("POST", `/order/refund/${orderNo}/outside/${refundNo}`, { evidence: "转账回单 3" }));
  await app.pool`
    update tuition_payment.simulated_trade set last_refund_at = now(), trade = jsonb_set(trade, '{refunds}',
      jsonb_build_array(jsonb_build_object('refundNo', ${refundNo}::text, 'amountFen', 600000, 'doneAtMs', ${Date.now()}::bigint)))
    where order_no = ${orderNo}`;
  await run();
  const row = await findRow(orderNo, "long");
  assert.equal(row.theirAmount, -6000);
  assert.equal(getData(await doAt(row.id, "ask")).handled, false);
});

test("late money undoes the decisions about the items of its order alone", async () => {
  const payer = await addPayer();
  const orderNo = await begin(payer, tuition(payer));
  getData(await asCard("POST", `/order/close/${orderNo}`, payer.card));
  const adjust = async (kind: string, name: string) =>
    getData(
      await asAdmin("POST", `/payableinfo/adjust/${payer.payableId}`, { kind, evidence: "x", items: [{ name }] }),
    );
  await adjust("waiver", "住宿费");
  await adjust("cash", "学费");
  getData(await act(orderNo));
  getData(await doAt((await findRow(orderNo, "late")).id, "settle"));
  const payable = getData(await asAdmin("GET", `/payableinfo/info/${payer.payableId}`));
  assert.deepEqual(pick(payable.adjustments, "kind"), ["waiver"]);
  assert.deepEqual([payable.due, payable.pay], [0, true]);
});

test("an earlier `statement` of the gateway that pretends is over with the next act", async () => {
  const orderNo = await settle(await addPayer());
  getData(await act(orderNo, { result: "success", statement: null, notify: false }));
  await run();
  assert.equal((await findRow(orderNo, "short"))?.handled, false);
  getData(await act(orderNo, { result: "success", notify: false }));
  await run();
  assert.equal(await findRow(orderNo, "short"), undefined);
});
