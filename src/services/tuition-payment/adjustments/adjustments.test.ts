import assert from "node:assert/strict";
import { test } from "node:test";
import type { Db } from "#platform/database/index.ts";
import { getData, startTestApp } from "#test/app.ts";
import { meetAtLock } from "#test/meeting.ts";
import { codeOf, dormitory, openOrders, type Payer, tuition } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { importFile, readBook, writePayables } from "#test/tuition-payment.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1" } });
const { token, userName } = await app.signIn("tuition-payment", { isSuper: true });
const orders = openOrders(app, token);
const { asCard, asAdmin, addPayer, create, act, detail, begin, settle, untilStatus, isPaid } = orders;

const evidence = "减免审批2026-17";
const adjust = ({ payableId }: Payer, change: object = {}) =>
  asAdmin("POST", `/payableinfo/adjust/${payableId}`, { kind: "waiver", evidence, ...change });
const undo = (id: number, body: object = { reason: "录入有误" }) =>
  asAdmin("PUT", `/payableinfo/adjust/${id}/undo`, body);
const info = async ({ payableId }: Payer) => getData(await asAdmin("GET", `/payableinfo/info/${payableId}`));
const duesOf = async (payer: Payer) => pick((await info(payer)).items, "name", "due");
const waive = (amount?: number, name = "学费") => ({ items: [{ name, ...(amount !== undefined && { amount }) }] });
const orderTuition = (payer: Payer, amount: number) => create(payer, { ...tuition(payer), amount });
const refund = async (payer: Payer, orderNo: string) => {
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学" }));
  await untilStatus(payer.card, orderNo, "refunded");
};
const dayAfter = (days: number): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Shanghai" }).format(Date.now() + days * 86_400_000);

test("an adjustment that is none is refused, and changes nothing", async () => {
  const payer = await addPayer();
  const other = { payableId: 999_999, card: "" };
  const until = dayAfter(30);
  for (const [change, code] of [
    [{ kind: "gift" }, "10001"],
    [{ kind: undefined }, "10001"],
    [{ evidence: undefined }, "10001"],
    [{ evidence: "  " }, "10001"],
    [{ evidence: "据".repeat(201) }, "10026"],
    [{ reason: "因".repeat(201) }, "10026"],
    [{ items: [] }, "10001"],
    [waive(0), "10001"],
    [waive(-1), "10001"],
    [waive(0.001), "10001"],
    [waive(1, "书费"), "10025"],
    [{ items: [{ name: "学费", amount: 1 }, { name: " 学费 " }] }, "10022"],
    [waive(4800.01), "10007"],
    [{ until }, "10001"],
    [{ kind: "deferral" }, "10001"],
    [{ kind: "deferral", until, ...waive(1) }, "10001"],
    [{ kind: "deferral", until: dayAfter(-1) }, "10001"],
    [{ kind: "deferral", until: "2027-02-29" }, "10001"],
  ] as const)
    assert.equal(codeOf(await adjust(payer, change))[0], code, JSON.stringify(change));
  assert.deepEqual(codeOf(await adjust(other)), ["10005", 404]);
  assert.deepEqual(codeOf(await undo(999_999)), ["10005", 404]);
  assert.equal((await info(payer)).due, 6000);
  assert.equal(getData(await asAdmin("GET", `/payableinfo/adjustments?payableId=${payer.payableId}`)).totalCount, 0);
});

test("what is waived of an item is not due any more; the rest is ordered, paid, and due again once it is refunded", async () => {
  const payer = await addPayer();
  const made = getData(await adjust(payer, { ...waive(1000), reason: "家庭经济困难" }));
  assert.deepEqual(
    [made.payableId, made.kind, made.amount, made.items, made.until, made.evidence, made.reason, made.by, made.undone],
    [
      payer.payableId,
      "waiver",
      1000,
      [{ name: "学费", amount: 1000 }],
      null,
      evidence,
      "家庭经济困难",
      userName,
      false,
    ],
  );
  assert.deepEqual(await duesOf(payer), ["学费 3800", "住宿费 1200"]);
  const own = getData(await asCard("GET", "/payableinfo/payableInfo", payer.card));
  assert.deepEqual([own.due, own.realPayAmount, own.pay], [5000, 6000, false]);
  assert.deepEqual(Object.keys(own.adjustments[0]).toSorted(), ["amount", "id", "items", "kind", "time", "until"]);
  const matched = await asCard(
    "GET",
    `/payableinfo/payableInfo/${payer.card}/${encodeURIComponent("张三")}`,
    payer.card,
  );
  assert.equal(getData(matched).adjustments, undefined, "another student reads nothing of it");
  assert.deepEqual(codeOf(await create(payer)), ["10021", 400]);
  const orderNo = await settle(payer, { ...tuition(payer), amount: 3800 });
  assert.deepEqual(await duesOf(payer), ["学费 0", "住宿费 1200"]);
  const [payable] = getData(await asCard("GET", "/order/payables", payer.card));
  assert.deepEqual(pick(payable.items, "name", "amount", "due", "state"), [
    "学费 4800 0 paid",
    "住宿费 1200 1200 unpaid",
  ]);
  assert.deepEqual(codeOf(await undo(made.id)), ["10007", 400]);
  assert.deepEqual(codeOf(await adjust(payer, waive(1))), ["10007", 400]);
  await settle(payer, dormitory(payer));
  assert.equal(await isPaid(payer), true);
  await refund(payer, orderNo);
  assert.deepEqual(await duesOf(payer), ["学费 3800", "住宿费 0"]);
  assert.equal(await isPaid(payer), false);
  getData(await undo(made.id));
  assert.deepEqual(await duesOf(payer), ["学费 4800", "住宿费 0"]);
  assert.deepEqual(codeOf(await undo(made.id)), ["10007", 400]);
  await settle(payer, tuition(payer));
  assert.equal(await isPaid(payer), true);
});

test("an item that an order holds is neither adjusted, nor is its adjustment undone", async () => {
  const payer = await addPayer();
  const made = getData(await adjust(payer, waive(800)));
  const { orderNo } = getData(await orderTuition(payer, 4000));
  assert.deepEqual(codeOf(await undo(made.id)), ["10007", 400]);
  for (const change of [waive(1), {}]) assert.deepEqual(codeOf(await adjust(payer, change)), ["10007", 400]);
  getData(await adjust(payer, waive(undefined, "住宿费")));
  getData(await asCard("POST", `/order/close/${orderNo}`, payer.card));
  getData(await undo(made.id));
  assert.deepEqual(await duesOf(payer), ["学费 4800", "住宿费 0"]);
  assert.deepEqual(codeOf(await create(payer, dormitory(payer))), ["10029", 409]);
});

test("of two who adjust at once, or adjust and order, one is refused", async () => {
  const lock = (payer: Payer) => (tx: Db) =>
    tx`select from tuition_payment.payable where id = ${payer.payableId} for update`;
  const [twice, ordered] = [await addPayer(), await addPayer()];
  const both = await meetAtLock(app.pool, lock(twice), () => [adjust(twice), adjust(twice, { kind: "loan" })]);
  assert.deepEqual(both.map(({ json }) => json.code).toSorted(), ["0", "10007"]);
  assert.equal((await info(twice)).due, 0);
  const mixed = await meetAtLock(app.pool, lock(ordered), () => [adjust(ordered), create(ordered)]);
  assert.equal(
    mixed.filter(({ json }) => json.code === "0").length,
    1,
    JSON.stringify(mixed.map(({ json }) => json.code)),
  );
  const made = getData(await adjust(await addPayer(), waive(1)));
  const undone = await Promise.all([undo(made.id), undo(made.id), undo(made.id)]);
  assert.deepEqual(undone.map(({ json }) => json.code).toSorted(), ["0", "10007", "10007"]);
});

test("an adjustment with an Idempotency-Key is one", async () => {
  const payer = await addPayer();
  const send = () =>
    app.call("POST", `/tuitionpayment/payableinfo/adjust/${payer.payableId}`, {
      token,
      body: { kind: "cash", evidence, ...waive(1000) },
      headers: { "idempotency-key": "cash-1" },
    });
  assert.equal(getData(await send()).id, getData(await send()).id);
  assert.equal((await info(payer)).due, 5000);
});

test("adjustments that cover all pay a payable, which cannot be changed while one stands", async () => {
  const payer = await addPayer();
  const loan = getData(await adjust(payer, { kind: "loan", ...waive(4800) }));
  const update = () => asAdmin("PUT", "/payableinfo/update", { id: payer.payableId, collegeName: "另一学院" });
  assert.deepEqual(codeOf(await update()), ["10007", 400]);
  assert.deepEqual(codeOf(await asAdmin("DELETE", `/payableinfo/delete/${payer.payableId}`)), ["10007", 400]);
  getData(await adjust(payer, { kind: "cash" }));
  assert.equal(await isPaid(payer), true);
  assert.deepEqual(codeOf(await adjust(payer)), ["10007", 400]);
  assert.deepEqual(codeOf(await adjust(payer, { kind: "deferral", until: dayAfter(3) })), ["10007", 400]);
  // Only a decision can be undone in this way, but this payable was paid by a loan and an order.
  assert.deepEqual(codeOf(await asAdmin("PUT", `/payableinfo/pay/${payer.payableId}/false`)), ["10007", 400]);
  getData(await undo(loan.id));
  assert.deepEqual([await isPaid(payer), (await info(payer)).due], [false, 4800]);
});

test("a recorded payment is a decision over all that is due, and its end undoes that alone", async () => {
  const payer = await addPayer();
  const decide = (pay: boolean) => asAdmin("PUT", `/payableinfo/pay/${payer.payableId}/${pay}`);
  getData(await adjust(payer, waive(1000)));
  const orderNo = await settle(payer, dormitory(payer));
  getData(await decide(true));
  getData(await decide(true));
  assert.equal(await isPaid(payer), true);
  const { list } = getData(await asAdmin("GET", `/payableinfo/adjustments?payableId=${payer.payableId}&kind=decision`));
  assert.deepEqual(pick(list, "amount", "by"), [`3800 ${userName}`]);
  // A refunded item is due again, even if the payable's other items were settled by an adjustment.
  await refund(payer, orderNo);
  assert.deepEqual([await isPaid(payer), (await info(payer)).due], [false, 1200]);
  getData(await decide(false));
  assert.deepEqual(await duesOf(payer), ["学费 3800", "住宿费 1200"]);
  assert.deepEqual(codeOf(await decide(false)), ["10007", 400]);
});

for (const [what, change] of [
  ["part of it was waived", waive(1000)],
  ["all was decided", { kind: "decision" }],
] as const)
  test(`a closed order that is paid late waits for a person once ${what}, and is paid when that is undone`, async () => {
    const payer = await addPayer();
    const orderNo = await begin(payer);
    getData(await asCard("POST", `/order/close/${orderNo}`, payer.card));
    const made = getData(await adjust(payer, change));
    getData(await act(orderNo, { result: "success", notify: false }));
    const ask = async () => getData(await asCard("GET", `/order/query/simulated/${orderNo}`, payer.card));
    assert.deepEqual([(await ask()).status, (await ask()).refunds], ["closed", []]);
    assert.equal(getData(await asAdmin("GET", `/order/history/${orderNo}`)).receivedAmount, 6000);
    getData(await undo(made.id));
    assert.equal((await ask()).status, "paid");
    assert.equal(await isPaid(payer), true);
  });

test("a closed order of what was waived before it was made is taken back late", async () => {
  const payer = await addPayer();
  getData(await adjust(payer, waive(1000)));
  const orderNo = await begin(payer, { amount: 5000 });
  getData(await asCard("POST", `/order/close/${orderNo}`, payer.card));
  getData(await act(orderNo));
  assert.equal((await detail(payer.card, orderNo)).status, "paid");
  assert.equal(await isPaid(payer), true);
});

test("the list finds what is due, unpaid, partly paid and paid", async () => {
  const [none, waived, deferred, paid] = [
    await addPayer({ grade: "P1" }),
    await addPayer({ grade: "P1" }),
    await addPayer({ grade: "P1" }),
    await addPayer({ grade: "P1" }),
  ];
  const waiver = getData(await adjust(waived, { kind: "waiver", items: [{ name: "学费", amount: 1 }] }));
  getData(await adjust(deferred, { kind: "deferral", until: dayAfter(0) }));
  getData(await asAdmin("PUT", `/payableinfo/pay/${paid.payableId}/true`));
  const list = async (state: string) =>
    pick(getData(await asAdmin("GET", `/payableinfo/list?grade=P1&state=${state}&orderField=id&order=asc`)).list, "id");
  const ids = (...payers: { payableId: number }[]) => payers.map(({ payableId }) => payableId);
  assert.deepEqual(await list("due"), ids(none, waived, deferred));
  assert.deepEqual(await list("unpaid"), ids(none, deferred));
  assert.deepEqual(await list("partly"), ids(waived));
  assert.deepEqual(await list("paid"), ids(paid));
  getData(await undo(waiver.id));
  assert.deepEqual(await list("partly"), []);
  assert.equal((await asAdmin("GET", "/payableinfo/list?state=half")).json.code, "10001");
});

test("a due date comes with the payable, moves by a deferral, and is over by the day", async () => {
  const payer = await addPayer({ dueDate: dayAfter(-1), grade: "D1" });
  const list = async (query = "overdue=1") =>
    pick(getData(await asAdmin("GET", `/payableinfo/list?grade=D1&${query}`)).list, "id");
  assert.equal((await info(payer)).dueDate, dayAfter(-1));
  assert.deepEqual(await list(), [payer.payableId]);
  const first = getData(await adjust(payer, { kind: "deferral", until: dayAfter(0) }));
  assert.deepEqual([first.amount, first.items, first.until], [null, [], dayAfter(0)]);
  assert.deepEqual([await list(), (await info(payer)).dueDate, (await info(payer)).due], [[], dayAfter(0), 6000]);
  getData(await adjust(payer, { kind: "deferral", until: dayAfter(9) }));
  assert.equal((await info(payer)).dueDate, dayAfter(9));
  getData(await undo(first.id));
  assert.equal((await info(payer)).dueDate, dayAfter(9));
  getData(await asAdmin("PUT", "/payableinfo/update", { id: payer.payableId, dueDate: "2030-01-01" }));
  const none = await addPayer({ grade: "D1" });
  const paid = await addPayer({ grade: "D1", dueDate: dayAfter(-9) });
  getData(await asAdmin("PUT", `/payableinfo/pay/${paid.payableId}/true`));
  assert.deepEqual([await list(), (await info(none)).dueDate], [[], null]);
  const sorted = await list("orderField=dueDate&order=asc");
  assert.deepEqual(sorted, [paid.payableId, payer.payableId, none.payableId]);
  for (const dueDate of ["2026-02-30", "morgen", 20260101])
    assert.equal((await asAdmin("PUT", "/payableinfo/update", { id: none.payableId, dueDate })).json.code, "10001");
  assert.equal((await asAdmin("GET", "/payableinfo/list?overdue=0")).json.code, "10001");
  const dated = await addPayer({ dueDate: "2030-01-01" });
  getData(await asAdmin("PUT", "/payableinfo/update", { id: dated.payableId, dueDate: "" }));
  assert.equal((await info(dated)).dueDate, null);
});

test("a workbook brings due dates, as text or as a date, and leaves out what it does not know", async () => {
  const headings = ["学号", "姓名", "年级", "收费年度", "学院", "专业", "班级", "收费项目", "应缴金额", "截止日期"];
  const send = async (dueDate: unknown, change: Record<string, string> = {}) =>
    importFile(app, token, await writePayables([{ 学号: "DUE1", 截止日期: dueDate } as never], headings), change);
  const [bad, good] = [await send("2026/9/31"), await send("2026-09-30")];
  assert.deepEqual(pick(bad.json.data.errors, "row", "field"), ["2 截止日期"]);
  assert.equal(getData(good), "1");
  const find = async () => getData(await asAdmin("GET", "/payableinfo/list?keyword=DUE1")).list[0];
  assert.equal((await find()).dueDate, "2026-09-30");
  getData(await send("", { replace: "true" }));
  assert.equal((await find()).dueDate, "2026-09-30", "an empty cell says nothing");
  getData(await send("2026-10-31", { replace: "true" }));
  const due = { card: "DUE1", payableId: (await find()).id };
  getData(await adjust(due, { kind: "deferral", until: dayAfter(400) }));
  const file = await fetch(`${app.url}/tuitionpayment/payableinfo/export?keyword=DUE1`, {
    headers: { admin_token: token },
  });
  const rows = await readBook(app, await file.bytes(), ["截止日期", "待缴金额", "延期至", "是否已缴"]);
  assert.deepEqual(rows, [["2026-10-31", 6000, dayAfter(400), "否"]]);
  getData(await adjust(due, waive(1)));
  const changed = await send("2026-11-30", { replace: "true" });
  assert.deepEqual(pick(changed.json.data.errors, "row", "field"), ["2 学号"]);
});

test("adjustments are listed by payable, kind and time, and exported with who they are of", async () => {
  const payer = await addPayer({ studentName: "调整甲" });
  const made = getData(await adjust(payer, { kind: "transfer", ...waive(10.5), evidence: "=凭证1" }));
  getData(await adjust(payer, { kind: "cash", ...waive(20) }));
  getData(await undo(made.id));
  const list = async (query: string) =>
    pick(
      getData(await asAdmin("GET", `/payableinfo/adjustments?payableId=${payer.payableId}${query}`)).list,
      "kind",
      "undone",
      "undoneBy",
      "undoReason",
    );
  const [cash, transfer] = ["cash false null null", `transfer true ${userName} 录入有误`];
  assert.deepEqual(await list(""), [cash, transfer]);
  assert.deepEqual(await list("&kind=cash"), [cash]);
  assert.deepEqual(await list("&orderField=time&order=asc&pageSize=1"), [transfer]);
  assert.deepEqual(await list("&startTime=2099-01-01 00:00:00"), []);
  assert.deepEqual(await list("&endTime=2020-01-01 00:00:00"), []);
  assert.deepEqual(pick((await info(payer)).adjustments, "kind"), ["cash"]);
  const path = `/tuitionpayment/payableinfo/adjustments/export?payableId=${payer.payableId}`;
  const file = await fetch(`${app.url}${path}`, { headers: { admin_token: token } });
  const rows = await readBook(app, await file.bytes(), ["姓名", "类型", "项目", "金额", "依据", "撤销原因"]);
  assert.deepEqual(
    rows.map((row) => row.slice(0, 5)),
    [
      ["调整甲", "现金", "学费:20", 20, evidence],
      ["调整甲", "转账", "学费:10.50", 10.5, "=凭证1"],
    ],
  );
});
