import assert from "node:assert/strict";
import { test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { download, openConsoleTests, readRows, startConsole } from "#test/browser/console.ts";
import { openOrders } from "#test/orders.ts";
import { startCcb } from "#test/stand-ins/payment-ccb.ts";
import { until } from "#test/until.ts";

const { app, open } = await startConsole({ settings: { PAY_SIMULATED: "1" } });
const as = await app.signIn("tuition-payment", { isSuper: true });
const { page, visit, check } = await open({ as, stays: true });
const { addPayer, act, begin, settle, asAdmin, asCard } = openOrders(app, as.token);

const today = new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Shanghai" }).format(Date.now());
const pane = page.getByRole("region", { name: "当前款项" });
const reconcile = async () => getData(await asAdmin("POST", "/reconcile/run", { gateway: "simulated", date: today }));
const listWaiting = async () => getData(await asAdmin("GET", "/desk/list?handled=false&pageSize=100"));
const statement = null;

async function addOtherAmount(): Promise<void> {
  const orderNo = await begin(await addPayer({ studentName: "孙七" }));
  getData(await act(orderNo, { result: "success", amount: 5999.99, statement }));
}

async function addLate(): Promise<void> {
  const payer = await addPayer({ studentName: "李四" });
  const orderNo = await begin(payer);
  getData(await asCard("POST", `/order/close/${orderNo}`, payer.card));
  getData(await asAdmin("PUT", `/payableinfo/pay/${payer.payableId}/true`));
  getData(await act(orderNo, { result: "success", statement }));
}

async function addFailedRefund(): Promise<void> {
  const payer = await addPayer({ studentName: "周八" });
  const orderNo = await settle(payer);
  getData(await act(orderNo, { result: "fail", notify: false }));
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退学" }));
  await until("the refund has failed", async () => {
    const { refunds } = getData(await asAdmin("GET", `/order/info/${orderNo}`));
    return refunds[0].status === "failed";
  });
}

async function addAbsent(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const orderNo = await begin(await addPayer({ studentName: `赵${index}` }));
    getData(await act(orderNo, { result: "success", statement }));
  }
}

for (const [type, their, our, advice] of [
  ["long", -120_000, null, "支付渠道退还了款项，本系统没有这笔退款"],
  ["short", null, -120_000, "退款已登记完成，对账单中没有这笔"],
] as const)
  test(`a refund that is ${type} is not told as a payment`, async () => {
    const orderNo = await settle(await addPayer({ studentName: "吴九" }));
    const [row] = await app.pool<{ id: number }[]>`
      insert into tuition_payment.difference (gateway, day, order_no, refund_no, their_fen, our_fen, type)
      values ('simulated', ${today}::date, ${orderNo}, ${`R${orderNo}`}, ${their}, ${our}, ${type}) returning id`;
    await visit(`/tuition-payment/desk?kind=${type}`);
    await pane.getByText(advice).waitFor();
    await app.pool`delete from tuition_payment.difference where id = ${row?.id ?? 0}`;
  });

const ofEach = atLength.skip === false ? 2 : 1;

test("a day's rows are cleared by keyboard, each read back before money moves", async () => {
  for (let time = 0; time < ofEach; time++) {
    await addOtherAmount();
    await addLate();
    await addFailedRefund();
  }
  await reconcile();
  await addAbsent(ofEach === 1 ? 1 : 20 - (await listWaiting()).totalCount);
  await reconcile();
  const { list, totalCount } = await listWaiting();
  assert.ok(totalCount >= 4 * ofEach, `${totalCount} rows`);
  await visit("/tuition-payment/desk");
  await page.getByText(`待处理 ${totalCount} 条`).waitFor();
  await check("desk");

  let keys = 0;
  const press = async (key: string) => {
    keys++;
    await page.keyboard.press(key);
  };
  const type = async (text: string) => {
    keys += text.length;
    await page.keyboard.type(text);
  };
  const place = (at: number) => page.locator(`.q-inbox-list li:nth-child(${at}) [aria-current=true]`).waitFor();
  await press("j");
  await place(2);
  await page.waitForURL(/open=/);
  await press("k");
  await place(1);

  let late = 0;
  let failed = 0;
  let noted = "";
  for (let left = totalCount; left > 0; left--) {
    await page.getByText(`待处理 ${left} 条`).waitFor();
    await place(1);
    const kind = await pane.getByRole("heading", { level: 2 }).first().textContent();
    if (kind === "付款金额不符") {
      await press("r");
      await pane.getByText(/^原路退回 ¥5,999.99 给孙七（S\d+）？$/).waitFor();
      if (left > totalCount - 2) {
        await check("desk-read-back");
        await press("Escape");
        await pane.getByRole("button", { name: "退回", exact: true }).waitFor();
        await press("r");
        await pane.getByText(/^原路退回/).waitFor();
      }
    } else if (kind === "决定之后到账") {
      await press(late++ === 0 ? "s" : "r");
      await pane
        .getByText(/¥6,000.00.*李四（S\d+）/)
        .first()
        .waitFor();
    } else if (kind === "退款失败") {
      await press("o");
      await pane.getByText(/^已用其他方式退还 ¥6,000.00 给周八/).waitFor();
      await type(`V${++failed}`);
    } else {
      await press("n");
      await pane.getByRole("textbox", { name: "处理意见" }).waitFor();
      if (noted !== kind) await type("次日已有");
      noted = kind ?? "";
    }
    await press("Enter");
  }
  await page.getByText("没有待处理的款项").waitFor();
  await check("desk-empty");
  assert.ok(keys <= 60, `${keys} keys for ${totalCount} rows`);
  assert.deepEqual((await listWaiting()).list, [], `of ${list.length} rows nothing is left`);

  await page.getByTitle("已处理").click();
  await pane.getByText("处理人").waitFor();
  await check("desk-done");
});

test("the journal is read page by page, exported, and summed by day and channel", async () => {
  await visit("/tuition-payment/journal");
  await page.getByRole("cell", { name: "收款", exact: true }).first().waitFor();
  await check("journal");
  const { path } = await download(page, "导出 Excel");
  assert.ok((await readRows(path)).length > 4 * ofEach);
  assert.match((await download(page, "导出 CSV")).name, /\.csv$/);
  await page.getByText("每日余额").click();
  await page.getByRole("columnheader", { name: "余额（元）" }).waitFor();
  await page.getByRole("cell", { name: "模拟支付", exact: true }).waitFor();
  await check("journal-balances");
  await page.getByRole("button", { name: "重置" }).click();
  await page.getByRole("columnheader", { name: "余额（元）" }).waitFor();
  assert.match(page.url(), /view=balances/);
});

test("a refund waits for another person, who approves it; its asker sees why", atLength, async () => {
  const ccb = await startCcb();
  const settings = { PAY_SIMULATED: "1", REFUND_APPROVAL: "two", PUBLIC_URL: "http://127.0.0.1:9", ...ccb.settings };
  const other = await startTestApp({ settings });
  const [asker, second] = [
    await other.signIn("tuition-payment", { isSuper: true }),
    await other.signIn("tuition-payment", { isSuper: true }),
  ];
  const books = openOrders(other, asker.token);
  const payer = await books.addPayer({ studentName: "郑十" });
  const orderNo = await books.settle(payer);
  const tests = await openConsoleTests(other);
  const own = await tests.open({ as: asker });
  await own.visit(`/tuition-payment/orders?open=${orderNo}`);
  await own.page.getByRole("button", { name: "退款", exact: true }).click();
  const form = own.page.getByRole("dialog", { name: `退款：${orderNo}` });
  await form.getByRole("checkbox", { name: "全部未退的项目" }).check();
  await form.getByLabel("退款原因").fill("退学");
  await form.getByRole("button", { name: "退款 ¥6,000.00" }).click();
  await own.page
    .getByRole("dialog", { name: /^原路退款 ¥6,000.00 给郑十/ })
    .getByRole("button", { name: "退款 ¥6,000.00" })
    .click();
  await own.page.getByText("由您申请，须由另一位超级管理员批准。").waitFor();
  await own.check("order-refund-asked");
  await own.visit("/tuition-payment/desk");
  await own.page.getByText("由您申请，须由另一位超级管理员批准。").waitFor();

  await own.visit("/tuition-payment/reconciliation");
  await own.page.getByText("中国建设银行：尚未见到收款、退款、对账单").waitFor();
  await own.page.getByText("如何测试").click();
  await own.page.getByText("在订单中退款，确认款项已退回。").waitFor();
  await own.check("gateway-untried");

  const theirs = await tests.open({ as: second, language: "en", theme: "dark" });
  await theirs.visit("/tuition-payment/desk");
  const shown = theirs.page.getByRole("region", { name: "Current case" });
  await shown.getByText(/郑十/).first().waitFor();
  await theirs.page.keyboard.press("r");
  await shown.getByText(/^Approve the refund of ¥6,000.00 to 郑十/).waitFor();
  await theirs.check("desk-approve-en-dark");
  await theirs.page.keyboard.press("Enter");
  await theirs.page.getByText("No payment exceptions").waitFor();
  await books.untilStatus(payer.card, orderNo, "refunded");
  await tests.close();
  await ccb.close();
});
