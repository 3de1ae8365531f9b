import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, test } from "node:test";
import { writeWorkbook } from "#platform/workbooks/index.ts";
import { type Answer, getData, startTestApp } from "#test/app.ts";
import { codeOf, openOrders } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { startAbc } from "#test/stand-ins/payment-abc.ts";
import { startCcb } from "#test/stand-ins/payment-ccb.ts";
import { startWeChatPay } from "#test/stand-ins/payment-wechat.ts";
import { until } from "#test/until.ts";

const [ccb, abc, wechat] = await Promise.all([startCcb(), startAbc(), startWeChatPay()]);
const standIns = { ccb, abc, wechat } as const;
type Name = keyof typeof standIns;
after(() => Promise.all(Object.values(standIns).map((standIn) => standIn.close())));
for (const { notices } of Object.values(standIns)) notices.plan(() => []);
const settings = { PUBLIC_URL: "http://127.0.0.1:9", PAY_TIMEOUT_MS: "400", ...ccb.settings, ...abc.settings };
const app = await startTestApp({ settings: { ...settings, ...wechat.settings } });
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { asAdmin } = openOrders(app, token);

let orders = 0;

async function addPaid(gateway: Name, count: number): Promise<string[]> {
  const { books } = standIns[gateway];
  const numbers = Array.from({ length: count }, () => `${gateway.toUpperCase()}${String(++orders).padStart(12, "0")}`);
  await app.pool`
    with payable as (
      insert into tuition_payment.payable (student_no, student_name, grade, years, amount_fen, item_names, item_fen, paid_by, paid_at)
      select number, '虚构', '2026', '2026', 600000, array['学费', '住宿费'], array[480000, 120000], 'orders', now()
      from unnest(${numbers}::text[]) as number returning id, student_no
    ), made as (
      insert into tuition_payment.pay_order (order_no, card_number, student_no, student_name, grade, amount_fen, status, gateway,
        expires_at, paid_at)
      select student_no, student_no, student_no, '虚构', '2026', 600000, 'paid', ${gateway}, now() + interval '1 hour', now()
      from payable returning id, order_no
    ), items as (
      insert into tuition_payment.order_item (order_id, payable_id, years, name, amount_fen, state)
      select made.id, payable.id, '2026', item.name, item.fen, 'paid' from made join payable on student_no = order_no,
        (values ('学费', 480000), ('住宿费', 120000)) as item (name, fen)
    )
    insert into tuition_payment.ledger (posting, order_id, what, account, gateway, amount_fen)
    select made.id + 1000000000, made.id, 'payment', line.account, ${gateway}, line.fen
    from made, (values ('gateway', 600000), ('tuition', -600000)) as line (account, fen)`;
  const expiresAtMs = Date.now() + 3_600_000;
  for (const orderNo of numbers) {
    books.open({ orderNo, amountFen: 600_000, expiresAtMs, notifyUrl: "http://127.0.0.1:9/" });
    books.pay(orderNo);
  }
  return numbers;
}

const find = async (orderNo: string) => getData(await asAdmin("GET", `/order/info/${orderNo}`));
const refund = async (orderNo: string) =>
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学" })).refunds.at(-1).refundNo as string;
const untilRefund = (orderNo: string, status: string) =>
  until(`the refund is ${status}`, async () => {
    await app.pool`
      update tuition_payment.pay_order set due_at = now() where order_no = ${orderNo} and status = 'refunding'
        and not exists (select from tuition_payment.refund where order_id = pay_order.id and leased_until > now())`;
    const order = await find(orderNo);
    return order.refunds.at(-1).status === status && order;
  });
const refundsAt = (gateway: Name, orderNo: string) => [
  ...(standIns[gateway].books.orders.get(orderNo)?.refunds.keys() ?? []),
];

async function judge(): Promise<void> {
  for (const [name, { books }] of Object.entries(standIns)) {
    const [row] = await app.pool<{ fen: number }[]>`
      select coalesce(sum(amount_fen), 0)::bigint as fen from tuition_payment.ledger
      where account = 'gateway' and gateway = ${name}`;
    assert.equal(row?.fen, books.sumFen(), name);
  }
  const [surplus] = await app.pool<{ fen: number }[]>`
    select coalesce(sum(amount_fen), 0)::bigint as fen from tuition_payment.ledger where account = 'surplus'`;
  assert.equal(surplus?.fen, 0);
  const [tuition] = await app.pool<{ ours: number; items: number }[]>`
    select (select -coalesce(sum(amount_fen), 0)::bigint from tuition_payment.ledger where account = 'tuition') as ours,
      (select coalesce(sum(amount_fen), 0)::bigint from tuition_payment.order_item where state = 'paid') as items`;
  assert.equal(tuition?.ours, tuition?.items);
}

for (const name of ["ccb", "abc", "wechat"] as const) {
  test(`${name}: a refund that the gateway refuses has failed, and is done under another number`, async () => {
    const { books } = standIns[name];
    const [orderNo = ""] = await addPaid(name, 1);
    books.refuses = (no) => no === orderNo;
    const refundNo = await refund(orderNo);
    assert.equal((await untilRefund(orderNo, "failed")).status, "paid");
    books.refuses = () => false;
    getData(await asAdmin("POST", `/order/refund/${orderNo}/again/${refundNo}`));
    assert.equal((await untilRefund(orderNo, "done")).status, "refunded");
    assert.equal(refundsAt(name, orderNo).length, 1);
    assert.ok(!refundsAt(name, orderNo).includes(refundNo));
    await judge();
  });

  for (const fault of ["lost", "busy"] as const)
    test(`${name}: a refund whose answer is ${fault} has not failed, and is done under its first number`, async () => {
      const [orderNo = ""] = await addPaid(name, 1);
      standIns[name].fail(fault, { matching: standIns[name].refundCall });
      const refundNo = await refund(orderNo);
      const order = await untilRefund(orderNo, "done");
      assert.deepEqual([order.refunds.length, order.status], [1, "refunded"]);
      assert.deepEqual(refundsAt(name, orderNo), [refundNo]);
      await judge();
    });
}

test("abc: a refund that it has made and does not show has not failed; its statement settles it", async (t) => {
  const [orderNo = ""] = await addPaid("abc", 1);
  t.mock.method(abc.books, "findRefund", () => undefined);
  abc.fail("lost", { matching: abc.refundCall });
  const refundNo = await refund(orderNo);
  await until("the bank has refused its number", async () => {
    await app.pool`update tuition_payment.pay_order set due_at = now() where order_no = ${orderNo}`;
    const { refunds } = getData(await asAdmin("GET", `/order/history/${orderNo}`));
    return /rejected the request/.test(refunds[0].failure ?? "");
  });
  assert.equal((await find(orderNo)).refunds[0].status, "running");
  assert.deepEqual(codeOf(await asAdmin("POST", `/order/refund/${orderNo}/again/${refundNo}`)), ["10007", 400]);
  const today = new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Shanghai" }).format();
  getData(await asAdmin("POST", "/reconcile/run", { gateway: "abc", date: today }));
  const { status, refunds } = await find(orderNo);
  assert.deepEqual([status, refunds[0].status, refunds[0].refundNo], ["refunded", "done", refundNo]);
  await judge();
});

test("abc: a refund whose refusal was lost has failed once the statements of two days have it not", async () => {
  const [orderNo = ""] = await addPaid("abc", 1);
  abc.books.refuses = (no) => no === orderNo;
  abc.fail("lost", { matching: abc.refundCall });
  await refund(orderNo);
  const isRefused = async () => {
    const { refunds } = getData(await asAdmin("GET", `/order/history/${orderNo}`));
    return /rejected the request/.test(refunds[0].failure ?? "");
  };
  await until("the bank has refused its number", async () => {
    await app.pool`update tuition_payment.pay_order set due_at = now() where order_no = ${orderNo}`;
    return isRefused();
  });
  assert.equal((await find(orderNo)).refunds[0].status, "running");
  await app.pool`
    with moved as (
      update tuition_payment.refund set requested_at = requested_at - interval '3 days'
      where order_id = (select id from tuition_payment.pay_order where order_no = ${orderNo}) returning requested_at
    )
    insert into tuition_payment.statement (gateway, day)
    select 'abc', (requested_at at time zone 'Asia/Shanghai')::date + later from moved, unnest(array[0, 1]) as later`;
  assert.equal((await untilRefund(orderNo, "failed")).status, "paid");
  abc.books.refuses = () => false;
  await judge();
});

const errorsOf = ({ json, text }: Answer): string[] => {
  assert.equal(json?.code, "10020", text);
  return pick((json.data as { errors: object[] }).errors, "row", "field") as string[];
};
const many = (rows: object[], dryRun?: boolean) => asAdmin("POST", "/order/refundMany", { rows, dryRun });

async function upload(rows: (string | number)[][], fields: Record<string, string> = {}): Promise<Answer> {
  const header = ["订单号", "退款项目", "退款金额", "退款原因"].map((text) => ({ header: text }));
  const bytes = await buffer(writeWorkbook({ sheetName: "批量退款", columns: header, rows: [rows] }));
  return app.call("POST", "/tuitionpayment/order/refundMany/import", { token, file: ["refunds.xlsx", bytes], fields });
}

test("many refunds are refused whole, with each row that is wrong", async () => {
  const [one = "", two = ""] = await addPaid("ccb", 2);
  const row = (change: object) => ({ orderNo: one, amount: 6000, reason: "停课", ...change });
  assert.deepEqual(codeOf(await many([])), ["10023", 400]);
  for (const amount of [0, -1, "6000", 6000.001])
    assert.deepEqual(codeOf(await many([row({ amount })])), ["10001", 400]);
  const answer = await many([
    row({}),
    row({ orderNo: two, amount: 5999.99 }),
    row({ orderNo: "NOBODY0001" }),
    row({}),
    row({ orderNo: "NOBODY0002", items: [{ payableId: 1, name: "学费" }] }),
  ]);
  assert.deepEqual(errorsOf(answer), ["2 amount", "3 orderNo", "4 orderNo", "5 orderNo"]);
  assert.deepEqual(
    errorsOf(
      await upload([
        [one, "书费", 6000, "停课"],
        [two, "", 1, ""],
      ]),
    ),
    ["2 退款项目", "3 退款原因"],
  );
  for (const orderNo of [one, two]) assert.deepEqual((await find(orderNo)).refunds, []);
});

test("a workbook of refunds is checked without a change, then begun; twice it is refused", async () => {
  const [one = "", two = ""] = await addPaid("ccb", 2);
  const rows = [
    // A formula may leave more digits than a spreadsheet program shows.
    [one, "住宿费", 1200.0000000000002, "退宿"],
    [two, "2026/学费\\住宿费", 6000, "退学"],
  ];
  assert.equal(getData(await upload(rows, { dryRun: "true" })), "2");
  assert.deepEqual((await find(one)).refunds, []);
  assert.equal(getData(await upload(rows)), "2");
  assert.equal((await untilRefund(one, "done")).refundedAmount, 1200);
  assert.equal((await untilRefund(two, "done")).status, "refunded");
  assert.deepEqual(errorsOf(await upload(rows)), ["2 订单号", "3 订单号"]);
  const target = `${app.url}/tuitionpayment/order/refundMany/template`;
  assert.equal((await fetch(target, { headers: { admin_token: token } })).status, 200);
  await judge();
});

const atOnce = Number(process.env["MANY_REFUNDS"] ?? 30);

test(`of ${atOnce} refunds at a bank that refuses every third each is done or has failed, and the books are equal`, async () => {
  const numbers = await addPaid("ccb", atOnce);
  const refused = new Set(numbers.filter((_, index) => index % 3 === 2));
  ccb.books.refuses = (orderNo) => refused.has(orderNo);
  const rows = numbers.map((orderNo) => ({ orderNo, amount: 6000, reason: "停课退费" }));
  assert.equal(getData(await many(rows, true)), String(atOnce));
  const [first, second] = await Promise.all([many(rows), many(rows.toReversed())]);
  assert.deepEqual([first, second].map(({ json }) => json.code).toSorted(), ["0", "10020"]);
  const counts = await until(
    "each has ended",
    async () => {
      const [row] = await app.pool<{ running: number; failed: number; done: number }[]>`
      select count(*) filter (where r.status = 'running')::int as running, count(*) filter (where r.status = 'failed')::int as failed,
        count(*) filter (where r.status = 'done')::int as done
      from tuition_payment.refund as r join tuition_payment.pay_order as o on o.id = r.order_id
      where o.order_no = any(${numbers})`;
      return row?.running === 0 && row;
    },
    { withinMs: atOnce * 100 + 60_000, everyMs: 200 },
  );
  assert.deepEqual([counts.failed, counts.done], [refused.size, atOnce - refused.size]);
  ccb.books.refuses = () => false;
  await judge();
});
