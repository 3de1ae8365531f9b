import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, getData, startTestApp } from "#test/app.ts";
import { openOrders, tuition } from "#test/orders.ts";
import { pick } from "#test/pick.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1" } });
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { asCard, asAdmin, addPayer, settle, untilStatus } = openOrders(app, token);

const code = ({ json }: Answer) => json?.code;
const own = async (card: string) => getData(await asCard("GET", "/account/own", card));
const read = async (id: number) => getData(await asAdmin("GET", `/account/${id}`));
const say = async (card: string) =>
  getData(
    await asCard("POST", "/feedbackmsg/save", card, {
      feedbackPersonName: "张三",
      feedbackPersonPhone: "555 0100 0001",
      feedbackInfo: "住宿费不符",
    }),
  );

test("an account is its student's and administrators' alone, and a scope's where its payable is", async () => {
  const payer = await addPayer();
  assert.equal(code(await app.call("GET", "/tuitionpayment/account/own")), "10012");
  assert.equal(code(await app.call("GET", `/tuitionpayment/account/${payer.payableId}`)), "10012");
  assert.equal(code(await asCard("GET", `/account/${payer.payableId}`, payer.card)), "10012");
  assert.equal(code(await asAdmin("GET", "/account/999999")), "10005");
  assert.equal(code(await asAdmin("GET", "/account/x")), "10001");
  await say(payer.card);
  const other = await addPayer({ studentNo: payer.card, years: "2025", collegeName: "其他学院" });
  const narrow = await app.signIn("tuition-payment", { isSuper: true });
  await app.pool`update platform.account set scope = '{"college": ["示例学院"]}' where id = ${narrow.id}`;
  const asNarrow = (id: number) => app.call("GET", `/tuitionpayment/account/${id}`, { token: narrow.token });
  assert.equal(code(await asNarrow(other.payableId)), "10005");
  const { payables, feedback, chargedAmount } = getData(await asNarrow(payer.payableId));
  assert.deepEqual(pick(payables, "years"), ["2026"]);
  assert.deepEqual([feedback, chargedAmount], [[], 6000]);
  assert.equal((await read(payer.payableId)).chargedAmount, 12_000);
});

test("its figures agree after an adjustment, a payment and a refund, for the student as for the bursar", async () => {
  const payer = await addPayer();
  const waived = { kind: "waiver", items: [{ name: "住宿费", amount: 200.5 }], evidence: "批文 1" };
  getData(await asAdmin("POST", `/payableinfo/adjust/${payer.payableId}`, waived));
  const deferred = { kind: "deferral", until: "2099-01-01", evidence: "批文 2" };
  getData(await asAdmin("POST", `/payableinfo/adjust/${payer.payableId}`, deferred));
  const orderNo = await settle(payer, tuition(payer));
  const { receiptNo } = getData(await asCard("GET", `/order/receipt/${orderNo}`, payer.card));
  const figures = ({
    chargedAmount,
    adjustedAmount,
    paidAmount,
    refundedAmount,
    dueAmount,
  }: Record<string, unknown>) => [chargedAmount, adjustedAmount, paidAmount, refundedAmount, dueAmount];
  assert.deepEqual(figures(await own(payer.card)), [6000, 200.5, 4800, 0, 999.5]);
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学" }));
  await untilStatus(payer.card, orderNo, "refunded");
  const [mine, theirs] = [await own(payer.card), await read(payer.payableId)];
  assert.deepEqual(figures(mine), [6000, 200.5, 4800, 4800, 5799.5]);
  assert.deepEqual(figures(theirs), figures(mine));
  await app.pool`
    with later as (
      insert into tuition_payment.pay_order
        (order_no, card_number, student_no, student_name, grade, amount_fen, status, closed_at, expires_at)
      select 'LATER' || number, ${payer.card}, ${payer.card}, '张三', '2026', 1, 'closed', now(), now()
      from generate_series(1000, 1199) as number returning id)
    insert into tuition_payment.order_item (order_id, payable_id, years, name, amount_fen, state)
    select id, ${payer.payableId}, '2026', '学费', 1, 'free' from later`;
  const later = await own(payer.card);
  assert.equal(
    later.orders.some(({ orderNo: no }: { orderNo: string }) => no === orderNo),
    false,
  );
  assert.deepEqual(figures(later), figures(mine));
  assert.deepEqual(pick(mine.orders, "orderNo", "receiptNo"), [`${orderNo} ${receiptNo}`]);
  assert.equal(theirs.payables[0].adjustments[0].evidence, "批文 1");
  assert.equal(mine.payables[0].adjustments[0].evidence, undefined, "why is not the student's");
});

test("a new student's account goes on under the number that comes later", async () => {
  const idCard = "11010519491231002X";
  const body = { studentNo: "", idCard };
  const payer = await addPayer(body);
  await say(idCard);
  const orderNo = await settle({ ...payer, card: idCard }, tuition(payer));
  getData(
    await asAdmin("PUT", "/payableinfo/update", {
      id: (await addPayer({ idCard, years: "2027" })).payableId,
      studentNo: "N1",
    }),
  );
  for (const account of [await own("N1"), await own(idCard), await read(payer.payableId)]) {
    assert.deepEqual(pick(account.orders, "orderNo"), [orderNo]);
    assert.equal(account.feedback.length, 1);
    assert.deepEqual(pick(account.payables, "years"), ["2026", "2027"]);
  }
});

test("feedback is answered once, and its student reads it", async () => {
  const { card } = await addPayer();
  const id = await say(card);
  const reply = (target: string, body: unknown) => asAdmin("PUT", `/feedbackmsg/reply/${target}`, body);
  assert.equal(code(await reply("999999", { reply: "已核对" })), "10005");
  for (const wrong of [{}, { reply: " " }, { reply: 1 }]) assert.equal(code(await reply(id, wrong)), "10001");
  assert.equal(code(await reply(id, { reply: "字".repeat(513) })), "10026");
  const [listed] = getData(await asCard("GET", "/feedbackmsg/listOfCurrentUser", card)).list;
  assert.equal("reply" in listed, false, "a documented answer has nothing more until there is an answer");
  const both = await Promise.all([reply(id, { reply: "已核对" }), reply(id, { reply: "另一个" })]);
  assert.deepEqual(both.map(code).toSorted(), ["0", "10007"]);
  const [feedback] = (await own(card)).feedback;
  assert.equal(feedback.statu, "2");
  assert.match(feedback.reply, /已核对|另一个/);
  assert.equal(code(await asAdmin("PUT", `/feedbackmsg/info/${id}`)), "10007", "it is processed");
});

test("a day is not called equal before its statement is here, and says what is open after", async () => {
  const today = new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Shanghai" }).format(Date.now());
  const read = async (query = "") => getData(await asAdmin("GET", `/reconcile/days${query}`));
  assert.equal(code(await asAdmin("GET", "/reconcile/days?startDate=2026-02-30")), "10001");
  const [before] = await read();
  assert.deepEqual([before.date, before.isFetched, before.matched], [today, false, null]);
  assert.ok(before.booked > 0);
  getData(await asAdmin("POST", "/reconcile/run", { gateway: "simulated", date: today }));
  const [after] = await read();
  assert.deepEqual([after.isFetched, after.matched, after.open], [true, before.booked, 0]);
  assert.match(after.compareTime, /^\d{4}-/);
  assert.deepEqual(await read("?startDate=2020-01-01&endDate=2020-01-02"), []);
});
