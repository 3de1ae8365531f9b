import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { codeOf, dormitory, openOrders, tuition } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { readBook } from "#test/tuition-payment.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1", PAY_REDIRECT_HOSTS: "pay.example.edu" } });
const { token, userName } = await app.signIn("tuition-payment", { isSuper: true });
const orders = openOrders(app, token);
const { asCard, asAdmin, addPayer, create, pay, act, notify, detail, begin, settle, untilStatus, isPaid } = orders;

test("whoever is no student, or has nothing to order, orders nothing", async () => {
  const payer = await addPayer();
  const other = await addPayer();
  const ask = async (payables: object[], amount: unknown = 6000, more: object = {}) =>
    codeOf(await create(payer, { payables, amount, ...more }));
  const { payableId } = payer;
  const all = [{ payableId }];
  const anonymous = await app.call("POST", "/tuitionpayment/order/create", { body: { payables: all, amount: 6000 } });
  assert.deepEqual(codeOf(anonymous), ["10012", 401]);
  assert.deepEqual(await ask([]), ["10023", 400]);
  for (const strange of [999_999, other.payableId])
    assert.deepEqual(await ask([{ payableId: strange }]), ["10013", 404]);
  assert.deepEqual(await ask([{ payableId, items: ["书费"] }], 1), ["10025", 404]);
  assert.deepEqual(await ask([...all, ...all], 12_000), ["10022", 409]);
  for (const amount of [5999.99, 6000.01, 1]) assert.deepEqual(await ask(all, amount), ["10021", 400]);
  for (const amount of ["6000", 6000.001, 0, -1, null]) assert.deepEqual(await ask(all, amount), ["10001", 400]);
  for (const limitSeconds of [9, 7201, 10.5]) assert.deepEqual(await ask(all, 6000, { limitSeconds }), ["10001", 400]);
  assert.equal(getData(await asCard("GET", "/order/listOfCurrentUser", payer.card)).totalCount, 0);
});

test("a grade that may not pay orders nothing and pays nothing; what is being paid settles", async () => {
  const payer = await addPayer({ grade: "1999" });
  const paying = await begin(payer, tuition(payer));
  const { orderNo } = getData(await create(payer, dormitory(payer)));
  const limits = getData(await app.call("GET", "/enablePayLimit/list", { token }));
  const { id } = limits.find(({ grade }: { grade: string }) => grade === "1999");
  getData(await app.call("PUT", `/enablePayLimit/setting/${id}/2`, { token }));
  assert.deepEqual(codeOf(await pay(payer.card, orderNo)), ["10007", 400]);
  assert.deepEqual(codeOf(await create(await addPayer({ grade: "1999" }))), ["10007", 400]);
  getData(await act(paying));
  assert.equal((await detail(payer.card, paying)).status, "paid");
  await app.pool`delete from tuition_payment.pay_limit where grade = '1999'`;
  assert.deepEqual(codeOf(await pay(payer.card, orderNo)), ["10019", 404]);
});

test("an item is in one order at a time; two who order it at once get one order", async () => {
  const payer = await addPayer();
  const answers = await Promise.all(Array.from({ length: 8 }, () => create(payer)));
  assert.deepEqual(pick(pick(answers, "json") as object[], "code").toSorted(), ["0", ...Array(7).fill("10007")]);
  const orderNo = answers.find(({ json }) => json.code === "0")?.json.data.orderNo;
  assert.match(orderNo, /^[0-9A-Za-z]{6,30}$/);
  const [payable] = getData(await asCard("GET", "/order/payables", payer.card));
  assert.deepEqual(pick(payable.items, "name", "amount", "state"), ["学费 4800 held", "住宿费 1200 held"]);
  for (const [method, path, body] of [
    ["PUT", "/payableinfo/update", { id: payer.payableId, collegeName: "另一学院" }],
    ["DELETE", `/payableinfo/delete/${payer.payableId}`],
    ["PUT", `/payableinfo/pay/${payer.payableId}/true`],
  ] as const)
    assert.deepEqual(codeOf(await asAdmin(method, path, body)), ["10007", 400], path);
  getData(await asCard("POST", `/order/close/${orderNo}`, payer.card));
  getData(await asAdmin("PUT", `/payableinfo/pay/${payer.payableId}/true`));
  assert.deepEqual(codeOf(await create(payer)), ["10029", 409]);
});

test("a create with an Idempotency-Key is one order", async () => {
  const payer = await addPayer();
  const body = { payables: [{ payableId: payer.payableId }], amount: 6000 };
  const save = (more: object = {}) =>
    asCard("POST", "/order/create", payer.card, { ...body, ...more }, { "idempotency-key": "once" });
  assert.equal(getData(await save()).orderNo, getData(await save()).orderNo);
  assert.deepEqual(codeOf(await save({ limitSeconds: 60 })), ["10004", 409]);
});

test("another's order is none", async () => {
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  const { card } = await addPayer();
  for (const [method, path, body] of [
    ["GET", `/order/detail/${orderNo}`],
    ["GET", `/order/query/simulated/${orderNo}`],
    ["GET", `/order/receipt/${orderNo}`],
    ["POST", `/order/close/${orderNo}`],
    ["POST", `/order/pay/${orderNo}`, { gateway: "simulated" }],
  ] as const)
    assert.deepEqual(codeOf(await asCard(method, path, card, body)), ["10014", 404], path);
  assert.deepEqual(codeOf(await asCard("GET", "/order/detail/NOBODY000", card)), ["10014", 404]);
  assert.equal(getData(await asCard("GET", "/order/listOfCurrentUser", card)).totalCount, 0);
});

test("pay refuses gateways and addresses that are none, and answers the same again", async () => {
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  assert.deepEqual(codeOf(await pay(payer.card, orderNo, { gateway: "icbc" })), ["10001", 400]);
  assert.deepEqual(codeOf(await pay(payer.card, orderNo, { gateway: "wechat" })), ["20004", 503]);
  for (const redirectUrl of ["//evil.example", "https://evil.example/", "javascript:1"])
    assert.deepEqual(codeOf(await pay(payer.card, orderNo, { gateway: "simulated", redirectUrl })), ["10001", 400]);
  assert.deepEqual(codeOf(await asCard("GET", `/order/query/simulated/${orderNo}`, payer.card)), ["10017", 400]);
  const wish = { gateway: "simulated", redirectUrl: "https://pay.example.edu/done?x=1" };
  const answers = await Promise.all(Array.from({ length: 4 }, () => pay(payer.card, orderNo, wish)));
  const [first] = answers.map(getData);
  assert.deepEqual([first.orderNo, first.gateway, first.kind], [orderNo, "simulated", "redirect"]);
  for (const answer of answers) assert.deepEqual(getData(answer), first);
  assert.equal((await detail(payer.card, orderNo)).status, "paying");
  assert.deepEqual(codeOf(await asCard("GET", `/order/query/ccb/${orderNo}`, payer.card)), ["10017", 400]);
  assert.deepEqual(codeOf(await pay(payer.card, orderNo, { gateway: "ccb" })), ["10017", 400]);
  const back = await fetch(`${app.url}/tuitionpayment/pay/return/simulated?orderNo=${orderNo}`, { redirect: "manual" });
  assert.equal(back.status, 302);
  assert.equal(back.headers.get("location"), `https://pay.example.edu/done?x=1&orderNo=${orderNo}&status=paying`);
});

test("an order is paid by a notice that is signed, once, however often it comes", async () => {
  const payer = await addPayer();
  const orderNo = await begin(payer);
  const { notice } = getData(await act(orderNo, { result: "success", notify: false }));
  const forged = { ...notice, amount: 0.01 };
  assert.deepEqual(codeOf(await notify("simulated", forged)), ["10008", 403]);
  assert.deepEqual(codeOf(await notify("simulated", { ...notice, sign: "00" })), ["10008", 403]);
  assert.deepEqual(codeOf(await notify("simulated", { nothing: 1 })), ["10001", 400]);
  assert.deepEqual(codeOf(await notify("simulated", [])), ["10001", 400]);
  assert.deepEqual(codeOf(await notify("wechat", notice)), ["20004", 503]);
  assert.deepEqual(codeOf(await notify("icbc", notice)), ["10001", 400]);
  assert.equal((await detail(payer.card, orderNo)).status, "paying");
  const answers = await Promise.all(Array.from({ length: 8 }, () => notify("simulated", notice)));
  for (const answer of answers) assert.deepEqual(codeOf(answer), ["0", 200]);
  const { status, gateway, tradeNo, amount } = await detail(payer.card, orderNo);
  assert.deepEqual([status, gateway, tradeNo, amount], ["paid", "simulated", notice.tradeNo, 6000]);
  assert.ok(await isPaid(payer));
  const { events } = getData(await asAdmin("GET", `/order/info/${orderNo}`));
  const steps = ["null created student", "created paying student", "paying paid notice"];
  assert.deepEqual(pick(events, "from", "to", "by"), steps);
  const { notices, ledger, calls } = getData(await asAdmin("GET", `/order/history/${orderNo}`));
  assert.deepEqual([notices.length, notices[0].times], [1, 8]);
  assert.deepEqual(pick(ledger, "account", "amount"), ["gateway 6000", "tuition -6000"]);
  assert.equal(calls[0].outcome, "redirect");
});

test("a notice of a paid order under another number of the gateway waits at the desk, once, and pays nothing", async () => {
  const orderNo = await settle(await addPayer());
  const [kept] = await app.pool<{ secret: string }[]>`select secret from tuition_payment.simulated_secret`;
  const said = { orderNo, tradeNo: "SECOND2", amount: 6000, result: "success" };
  const text = [orderNo, said.tradeNo, 600_000, said.result].join("\n");
  const sign = createHmac("sha256", kept?.secret ?? "")
    .update(text)
    .digest("hex");
  for (let time = 0; time < 2; time++)
    assert.deepEqual(codeOf(await notify("simulated", { ...said, sign })), ["0", 200]);
  const { list } = getData(await asAdmin("GET", "/desk/list?kind=long&handled=false&pageSize=100"));
  const own = list.filter((row: { orderNo: string }) => row.orderNo === orderNo);
  assert.deepEqual(pick(own, "theirAmount"), [6000]);
  const { ledger } = getData(await asAdmin("GET", `/order/history/${orderNo}`));
  assert.equal(ledger.length, 2);
});

test("a notice of another amount, of an unknown order or of one without a gateway changes nothing", async () => {
  const payer = await addPayer();
  const orderNo = await begin(payer);
  for (const sum of [5999.99, 6000.01])
    assert.equal(getData(await act(orderNo, { result: "success", amount: sum })).reply.code, "10021");
  assert.equal((await detail(payer.card, orderNo)).status, "paying");
  assert.equal(getData(await act("UNKNOWN0001", { result: "success", amount: 5 })).reply.code, "10014");
  assert.deepEqual(codeOf(await act("UNKNOWN0002")), ["10001", 400]);
  const created = getData(await create(await addPayer())).orderNo;
  assert.equal(getData(await act(created)).reply.code, "10017");
});

test("a failed attempt leaves it paying; a silent gateway too", async () => {
  const payer = await addPayer();
  const orderNo = await begin(payer);
  assert.equal(getData(await act(orderNo, { result: "fail" })).reply.code, "0");
  assert.equal((await detail(payer.card, orderNo)).status, "paying");
  assert.deepEqual(getData(await act(orderNo, { result: "down" })), { notice: null, reply: null });
  assert.deepEqual(codeOf(await asCard("GET", `/order/query/simulated/${orderNo}`, payer.card)), ["20004", 502]);
  assert.deepEqual(codeOf(await asCard("POST", `/order/close/${orderNo}`, payer.card)), ["20004", 502]);
  assert.equal((await detail(payer.card, orderNo)).status, "paying");
  getData(await act(orderNo, { result: "success", notify: false }));
  assert.equal(getData(await asCard("GET", `/order/query/simulated/${orderNo}`, payer.card)).status, "paid");
});

const hasten = (...orderNos: string[]) =>
  app.pool`update tuition_payment.pay_order set due_at = now() where order_no = any(${orderNos})`;

test("a lost notice is found out by asking", async () => {
  const payer = await addPayer();
  const orderNo = await begin(payer);
  getData(await act(orderNo, { result: "success", notify: false }));
  await hasten(orderNo);
  await untilStatus(payer.card, orderNo, "paid");
  const { events } = getData(await asAdmin("GET", `/order/info/${orderNo}`));
  assert.equal(events.at(-1).by, "poll");
});

test("close asks first: what is paid meanwhile is paid; two closes are one", async () => {
  const paid = await addPayer();
  const first = await begin(paid);
  getData(await act(first, { result: "success", notify: false }));
  assert.deepEqual(codeOf(await asCard("POST", `/order/close/${first}`, paid.card)), ["10007", 400]);
  assert.equal((await detail(paid.card, first)).status, "paid");
  const payer = await addPayer();
  const second = await begin(payer);
  const closes = await Promise.all([1, 2, 3].map(() => asCard("POST", `/order/close/${second}`, payer.card)));
  assert.deepEqual(closes.map(({ json }) => json.code).toSorted(), ["0", "10007", "10007"]);
  assert.deepEqual(codeOf(await pay(payer.card, second)), ["10007", 400]);
});

test("close and notice at once end in one state, and the money is where the state says", async () => {
  for (let round = 0; round < 3; round++) {
    const payer = await addPayer();
    const orderNo = await begin(payer);
    const { notice } = getData(await act(orderNo, { result: "success", notify: false }));
    await Promise.all([notify("simulated", notice), asCard("POST", `/order/close/${orderNo}`, payer.card)]);
    await untilStatus(payer.card, orderNo, "paid");
    assert.ok(await isPaid(payer));
  }
});

test("an order closes at its limit, and money that comes late is taken", async () => {
  const payer = await addPayer();
  const [created, paying] = await Promise.all([
    create(payer, { ...tuition(payer), limitSeconds: 10 }),
    begin(payer, { ...dormitory(payer), limitSeconds: 10 }),
  ]);
  const orderNos = [getData(created).orderNo as string, paying];
  await app.pool`update tuition_payment.pay_order set expires_at = now() where order_no = any(${orderNos})`;
  await hasten(...orderNos);
  for (const orderNo of orderNos) await untilStatus(payer.card, orderNo, "closed");
  const [{ items }] = getData(await asCard("GET", "/order/payables", payer.card));
  assert.deepEqual(pick(items, "state"), ["unpaid", "unpaid"], "whoever orders next may have them");
  assert.equal(getData(await act(paying)).reply.code, "0");
  assert.equal((await detail(payer.card, paying)).status, "paid");
  assert.equal(await isPaid(payer), false);
});

test("what is paid twice, by two orders, is given back once", async () => {
  const payer = await addPayer();
  const first = await begin(payer);
  getData(await asCard("POST", `/order/close/${first}`, payer.card));
  const second = await settle(payer);
  assert.equal(getData(await act(first)).reply.code, "0");
  const order = await untilStatus(payer.card, first, "refunded");
  assert.deepEqual([order["refundedAmount"], (order["refunds"] as unknown[]).length], [6000, 1]);
  assert.equal((await detail(payer.card, second)).status, "paid");
  assert.ok(await isPaid(payer));
  assert.deepEqual(codeOf(await asAdmin("GET", `/order/receipt/${first}`)), ["10007", 400], "it pays for nothing");
});

test("items are refunded one by one, and the rest at once; what is refunded can be ordered again", async () => {
  const payer = await addPayer();
  const orderNo = await settle(payer);
  const refund = (body: object) => asAdmin("POST", `/order/refund/${orderNo}`, body);
  const item = { payableId: payer.payableId, name: "住宿费" };
  assert.deepEqual(codeOf(await refund({ reason: "" })), ["10001", 400]);
  assert.deepEqual(codeOf(await refund({ reason: "长".repeat(201) })), ["10026", 400]);
  assert.deepEqual(codeOf(await refund({ reason: "退宿", items: [{ ...item, name: "书费" }] })), ["10025", 404]);
  assert.deepEqual(codeOf(await refund({ reason: "退宿", items: [item, item] })), ["10022", 409]);
  const both = await Promise.all([1, 2].map(() => refund({ reason: "退宿", items: [item] })));
  assert.deepEqual(both.map(({ json }) => json.code).toSorted(), ["0", "10007"]);
  const order = await untilStatus(payer.card, orderNo, "paid");
  assert.equal(order["refundedAmount"], 1200);
  assert.equal(await isPaid(payer), false);
  assert.deepEqual(codeOf(await refund({ reason: "退宿", items: [item] })), ["10007", 400]);
  assert.equal(getData(await create(payer, dormitory(payer))).status, "created");
  const receipt = getData(await asCard("GET", `/order/receipt/${orderNo}`, payer.card));
  assert.equal(receipt.amountInWords, "肆仟捌佰元整");
  assert.equal(getData(await asAdmin("GET", `/order/receipt/${orderNo}`)).receiptNo, receipt.receiptNo);
  getData(await refund({ reason: "退学" }));
  const { refundedAmount, refunds } = await untilStatus(payer.card, orderNo, "refunded");
  assert.deepEqual([refundedAmount, pick(refunds as object[], "status")], [6000, ["done", "done"]]);
  assert.deepEqual(codeOf(await asAdmin("GET", `/order/receipt/${orderNo}`)), ["10007", 400]);
  assert.deepEqual(codeOf(await refund({ reason: "退学" })), ["10007", 400]);
  const { events } = getData(await asAdmin("GET", `/order/info/${orderNo}`));
  assert.ok(pick(events, "by", "to").includes(`${userName} refunding`));
});

test("an order whose money is refunded is refunded, even if an item cost nothing", async () => {
  const payer = await addPayer({ payItemDetail: "学费:6000\\体检费:0" });
  const orderNo = await settle(payer);
  const items = [{ payableId: payer.payableId, name: "学费" }];
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学", items }));
  await untilStatus(payer.card, orderNo, "refunded");
  assert.deepEqual(codeOf(await create(payer)), ["0", 200]);
});

test("the ledger is added to and never changed, and what does not balance is not taken", async () => {
  const payer = await addPayer();
  const orderNo = await settle(payer);
  for (const sql of ["update tuition_payment.ledger set amount_fen = 1", "delete from tuition_payment.ledger"])
    await assert.rejects(app.pool.script(sql), /permission denied|never changed/);
  await assert.rejects(app.pool.script("truncate tuition_payment.ledger"), /permission denied|never changed/);
  await assert.rejects(
    app.pool`
      insert into tuition_payment.ledger (posting, order_id, what, account, gateway, amount_fen)
      select nextval('tuition_payment.posting'), id, 'payment', 'surplus', 'simulated', 1
      from tuition_payment.pay_order where order_no = ${orderNo}`,
    /does not balance/,
  );
});

test("a statement is compared with the orders; what differs waits for a decision", async () => {
  const made = await Promise.all([addPayer(), addPayer(), addPayer()]);
  const [matched, short, mismatch] = await Promise.all(made.map((payer) => begin(payer)));
  getData(await act(matched ?? "", { result: "success" }));
  getData(await act(short ?? "", { result: "success", statement: null }));
  getData(await act(mismatch ?? "", { result: "success", statement: 6000.01 }));
  getData(await act("LONG000001", { result: "success", amount: 12.34 }));
  const date = new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Shanghai" }).format();
  const run = (body: object) => asAdmin("POST", "/reconcile/run", body);
  assert.deepEqual(codeOf(await run({ gateway: "simulated", date: "2999-01-01" })), ["10001", 400]);
  assert.deepEqual(codeOf(await run({ gateway: "wechat", date })), ["20004", 503]);
  const first = getData(await run({ gateway: "simulated", date }));
  const list = async (orderNo: string | undefined) =>
    getData(await asAdmin("GET", `/reconcile/list?date=${date}&orderNo=${orderNo}`)).list;
  const told = async (orderNo: string | undefined) =>
    pick(await list(orderNo), "type", "ourAmount", "theirAmount", "handled");
  assert.deepEqual(await told(short), ["short 6000 null false"]);
  assert.deepEqual(await told(mismatch), ["mismatch 6000 6000.01 false"]);
  assert.deepEqual(await told("LONG000001"), ["long null 12.34 false"]);
  assert.deepEqual(await list(matched), []);
  const [{ id }] = await list(short);
  const handle = (note: unknown) => asAdmin("PUT", `/reconcile/handle/${id}`, { note });
  assert.deepEqual(codeOf(await handle("")), ["10001", 400]);
  assert.equal(getData(await handle("银行次日入账")), "1");
  assert.deepEqual(codeOf(await handle("再次")), ["10007", 400]);
  assert.deepEqual(codeOf(await asAdmin("PUT", "/reconcile/handle/999999999", { note: "x" })), ["10005", 404]);
  assert.deepEqual(getData(await run({ gateway: "simulated", date })), first);
  assert.deepEqual(await told(short), ["short 6000 null true"]);
  assert.equal((await list("LONG000001")).length, 1);
});

test("administrators find, count and export orders", async () => {
  const payer = await addPayer({ studentName: "甲示例" });
  const orderNo = await settle(payer);
  const query = `keyword=${encodeURIComponent("甲示例")}&status=paid&gateway=simulated`;
  const found = getData(await asAdmin("GET", `/order/list?${query}`));
  assert.deepEqual([found.totalCount, found.list[0].orderNo], [1, orderNo]);
  assert.equal(getData(await asAdmin("GET", "/order/list?startTime=2999-01-01%2000:00:00")).totalCount, 0);
  assert.deepEqual(codeOf(await asAdmin("GET", "/order/list?status=lost")), ["10001", 400]);
  const { grades } = getData(await asAdmin("GET", "/order/totals?years=2026&grade=2022"));
  assert.ok(grades[0].orderAmount >= 6000 && grades[0].dueAmount >= grades[0].orderAmount);
  assert.ok(getData(await asAdmin("GET", "/order/figures")).paidToday >= 1);
  for (const [language, headings, values] of [
    ["zh", ["订单号", "状态", "支付渠道", "金额"], [orderNo, "已支付", "模拟支付", 6000]],
    ["en", ["Order no.", "Status", "Gateway", "Amount"], [orderNo, "Paid", "Simulated", 6000]],
  ] as const) {
    const headers = { admin_token: token, "accept-language": language };
    const answer = await fetch(`${app.url}/tuitionpayment/order/export?keyword=${orderNo}`, { headers });
    assert.deepEqual(await readBook(app, await answer.bytes(), headings), [values], "the console's words");
  }
});
