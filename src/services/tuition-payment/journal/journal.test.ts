import assert from "node:assert/strict";
import { test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { codeOf, openOrders, tuition } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { readBook } from "#test/tuition-payment.ts";

const app = await startTestApp({ settings: { PAY_SIMULATED: "1" } });
const { token, userName } = await app.signIn("tuition-payment", { isSuper: true });
const { asCard, asAdmin, addPayer, settle, untilStatus } = openOrders(app, token);
const fetchFile = (target: string) =>
  fetch(`${app.url}/tuitionpayment/journal/${target}`, { headers: { admin_token: token } });

const payer = await addPayer({ studentName: "=甲" });
const orderNo = await settle(payer, tuition(payer));
getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学" }));
await untilStatus(payer.card, orderNo, "refunded");
const adjust = async (payableId: number, body: object) =>
  getData(await asAdmin("POST", `/payableinfo/adjust/${payableId}`, { evidence: "批文,1", ...body })).id;
await adjust(payer.payableId, { kind: "waiver", items: [{ name: "学费", amount: 1000.5 }] });
const other = await addPayer();
await adjust(other.payableId, { kind: "deferral", until: "2099-01-01" });
const undone = await adjust(other.payableId, { kind: "loan" });
getData(await asAdmin("PUT", `/payableinfo/adjust/${undone}/undo`, { reason: "未放款" }));
const all = [
  "undone loan -6000",
  "adjustment loan 6000",
  "adjustment waiver 1000.5",
  "refund simulated -4800",
  "payment simulated 4800",
];
const read = async (query: string) => getData(await asAdmin("GET", `/journal?${query}`));

test("the journal has what was paid, refunded, adjusted and undone, newest first, and nothing else", async () => {
  const { list, nextCursor } = await read("");
  assert.deepEqual(pick(list, "kind", "channel", "amount"), all);
  assert.equal(nextCursor, null);
  const [, , waiver, refund, payment] = list;
  assert.deepEqual(
    [waiver.payableId, waiver.studentNo, waiver.evidence, waiver.by],
    [payer.payableId, payer.card, "批文,1", userName],
  );
  assert.deepEqual([payment.orderNo, payment.refundNo, payment.studentName], [orderNo, null, "=甲"]);
  assert.match(refund.refundNo, /^R/);
  assert.deepEqual([refund.orderNo, refund.adjustmentId], [orderNo, null]);
});

test("a page goes on behind the one before, also among lines of one moment", async () => {
  await app.pool`update tuition_payment.adjustment set made_at = now(), undone_at = case when undone_at is not null then now() end`;
  const found: string[] = [];
  let query = "limit=2";
  for (let page = 0; page < 4; page++) {
    const { list, nextCursor } = await read(query);
    found.push(...(pick(list, "kind", "channel", "amount") as string[]));
    if (nextCursor === null) break;
    query = `limit=2&cursor=${nextCursor}`;
  }
  assert.deepEqual(found, all);
});

test("it is filtered by kind, channel and time; a cursor or a channel that is none is refused", async () => {
  assert.deepEqual(pick((await read("kind=adjustment")).list, "channel"), ["loan", "waiver"]);
  assert.deepEqual(pick((await read("channel=simulated")).list, "kind"), ["refund", "payment"]);
  assert.deepEqual((await read("channel=hand")).list, []);
  assert.deepEqual((await read("startTime=2099-01-01 00:00:00")).list, []);
  assert.deepEqual((await read("endTime=2020-01-01 00:00:00")).list, []);
  for (const query of ["cursor=x", "cursor=1-2", "cursor=1-0-1;", "channel=gold", "kind=gift", "limit=0", "limit=1001"])
    assert.deepEqual(codeOf(await asAdmin("GET", `/journal?${query}`)), ["10001", 400], query);
  assert.equal((await asCard("GET", "/journal", payer.card)).status, 401);
});

test("each day and channel has its sums, and the balance of all days until then", async () => {
  const balances = async (query = "") =>
    pick(getData(await asAdmin("GET", `/journal/balances?${query}`)), "channel", "received", "returned", "balance");
  const today = ["loan 6000 6000 0", "simulated 4800 4800 0", "waiver 1000.5 0 1000.5"];
  assert.deepEqual(await balances(), today);
  await app.pool`update tuition_payment.adjustment set made_at = now() - interval '40 days' where kind = 'loan'`;
  assert.deepEqual(await balances(), ["loan 0 6000 0", ...today.slice(1)]);
  const day = new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Shanghai" }).format(Date.now() - 40 * 86_400_000);
  assert.deepEqual(await balances(`startDate=${day}&endDate=${day}`), ["loan 6000 0 6000"]);
});

test("it is exported as a workbook and as CSV, in which nothing is a formula", async () => {
  const workbook = await fetchFile("export?kind=payment");
  const rows = await readBook(app, await workbook.bytes(), ["类型", "渠道", "金额", "姓名", "订单号"]);
  assert.deepEqual(rows, [["缴费", "模拟支付", 4800, "=甲", orderNo]]);
  const csv = await fetchFile("csv");
  assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/);
  assert.match(csv.headers.get("content-disposition") ?? "", /journal-[\d-]+\.csv"$/);
  const lines = Buffer.from(await csv.bytes())
    .toString()
    .split("\r\n");
  assert.match(lines[0] ?? "", /^\uFEFF时间,类型,渠道,金额,/);
  assert.equal(lines.length, all.length + 2);
  assert.ok(lines.some((line) => line.includes(`,调整,减免,1000.5,${payer.card},'=甲,`) && line.includes('"批文,1"')));
  const audited = await app.pool`select from platform.audit where action in ('exportJournal', 'exportJournalAsCsv')`;
  assert.equal(audited.length, 2);
});

test("the books agree; payables that are wrong are counted, and set right by a super administrator", async () => {
  const books = async () =>
    getData(await asAdmin("GET", "/journal/books"))
      .filter(({ expected, found }: { expected: number; found: number }) => expected !== found)
      .map(({ found }: { found: number }) => found);
  assert.deepEqual(await books(), []);
  const [paid, unpaid] = [await addPayer(), await addPayer()];
  await settle(paid);
  await app.pool`
    update tuition_payment.payable set paid_by = case when id = ${unpaid.payableId} then 'decision' end,
      paid_at = case when id = ${unpaid.payableId} then now() end where id in (${paid.payableId}, ${unpaid.payableId})`;
  assert.deepEqual(await books(), [2]);
  assert.equal(getData(await asAdmin("POST", "/journal/books/settle")), "2");
  assert.deepEqual(await books(), []);
  const pays = await Promise.all(
    [paid, unpaid].map(async ({ payableId }) => getData(await asAdmin("GET", `/payableinfo/info/${payableId}`)).pay),
  );
  assert.deepEqual(pays, [true, false]);
  assert.equal(getData(await asAdmin("POST", "/journal/books/settle")), "0");
});
