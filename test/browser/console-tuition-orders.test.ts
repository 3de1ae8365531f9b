import assert from "node:assert/strict";
import { test } from "node:test";
import { getData } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { startConsole } from "#test/browser/console.ts";
import { openOrders } from "#test/orders.ts";

const { app, open } = await startConsole({ settings: { PAY_SIMULATED: "1" } });
const as = await app.signIn("tuition-payment", { isSuper: true });
const { page, visit, check } = await open({ as, stays: true });
const orders = openOrders(app, as.token);
const { addPayer, begin, act, untilStatus } = orders;

const today = new Intl.DateTimeFormat("sv-SE", { timeZone: "Asia/Shanghai" }).format(Date.now());
test("an order that is paid is seen paid, one item is refunded with its reason, and the receipt says what is left", async () => {
  const payer = await addPayer({ studentName: "张三" });
  const orderNo = await begin(payer);
  await visit("/tuition-payment/orders");
  await page.getByRole("cell", { name: "支付中", exact: true }).waitFor();
  await page.getByRole("button", { name: `查看订单 ${orderNo}` }).click();
  const drawer = page.getByRole("dialog", { name: "张三的订单" });
  await drawer.getByText("变为支付中").waitFor();
  assert.equal(await drawer.getByRole("button", { name: "退款" }).count(), 0, "what is not paid is not refunded");
  getData(await act(orderNo));
  await drawer.getByText("变为已支付").waitFor();
  await drawer.getByText("支付渠道的通知").first().waitFor();
  const ledger = drawer.getByRole("region", { name: "账目" });
  await ledger.getByRole("cell", { name: "-6,000.00", exact: true }).waitFor();
  await drawer.getByRole("cell", { name: "已入账", exact: true }).waitFor();
  await check("order-paid");

  await drawer.getByRole("button", { name: "退款" }).click();
  const form = page.getByRole("dialog", { name: `退款：${orderNo}` });
  await form.getByRole("button", { name: "退款 ¥0.00" }).click();
  await form.getByText("请至少选择一个项目").waitFor();
  await form.getByText("请填写退款原因").waitFor();
  await form.getByRole("checkbox", { name: /住宿费/ }).check();
  await form.getByLabel("退款原因").fill("走读，不住宿");
  await check("order-refund");
  await form.getByRole("button", { name: "退款 ¥1,200.00" }).click();
  const readBack = page.getByRole("dialog", { name: `原路退款 ¥1,200.00 给张三（${payer.card}）？` });
  await readBack.waitFor();
  await check("order-refund-read-back");
  await readBack.getByRole("button", { name: "退款 ¥1,200.00" }).click();
  await form.waitFor({ state: "hidden" });
  await untilStatus(payer.card, orderNo, "paid");
  await drawer.getByText("退款结束，未退的仍为已支付").waitFor();
  const refunds = drawer.getByRole("region", { name: "退款记录" });
  await refunds.getByText("原因：走读，不住宿").waitFor();
  await drawer.getByRole("region", { name: "收费项目" }).getByRole("cell", { name: "已退款" }).waitFor();

  await drawer.getByRole("button", { name: "收据" }).click();
  const receipt = page.getByRole("dialog", { name: "缴费收据" });
  await receipt.getByText("¥4,800.00").first().waitFor();
  await receipt.getByText("肆仟捌佰元整").waitFor();
  await receipt.getByText("已扣除退款 ¥1,200.00").waitFor();
  assert.equal(await receipt.getByText("住宿费").count(), 0, "its items add up to what was received");
  await drawer.waitFor({ state: "detached" });
  assert.equal(await page.getByRole("dialog").count(), 1, "it is printed alone");
  await check("order-receipt");
  await page.keyboard.press("Escape");
  await drawer.getByRole("link", { name: payer.card }).click();
  await page.getByRole("heading", { name: "学生账户 · 张三" }).waitFor();
  await page.getByText("¥1,200.00").nth(1).waitFor();
  const lodging = page.getByRole("region", { name: "收费项目" }).getByRole("row", { name: /住宿费/ });
  assert.match((await lodging.textContent()) ?? "", /1,200\.000\.000\.001,200\.00未缴/);
  await page.getByRole("cell", { name: /^R\d{4}-000001$/ }).waitFor();
  await check("account");
  await page.getByRole("link", { name: `查看订单 ${orderNo}` }).click();
  await drawer.waitFor();
});

test("what a gateway gave to pay with is told in words", async () => {
  const orderNo = await begin(await addPayer({ studentName: "郑九" }));
  for (const [outcome, words] of [
    ["h5", "手机支付页面"],
    ["native", "支付二维码"],
  ] as const) {
    await app.pool`update tuition_payment.gateway_call set outcome = ${outcome} where call = 'pay' and order_id = (
      select id from tuition_payment.pay_order where order_no = ${orderNo})`;
    await visit(`/tuition-payment/orders?open=${orderNo}`);
    await page.getByRole("dialog", { name: "郑九的订单" }).getByRole("cell", { name: words, exact: true }).waitFor();
  }
});

test("a day is reconciled, and a difference leads to where it is decided about", async () => {
  const wrong = await begin(await addPayer({ studentName: "王五" }));
  getData(await act(wrong, { result: "success", statement: 5999.99 }));
  const absent = await begin(await addPayer({ studentName: "赵六" }));
  getData(await act(absent, { result: "success", statement: null }));
  await visit("/tuition-payment/reconciliation");
  await page.getByRole("button", { name: new RegExp(`^${today}：账上 \\d+ 笔，对账单次日生成$`) }).waitFor();
  await page.getByRole("button", { name: "对账", exact: true }).click();
  const form = page.getByRole("dialog", { name: "与对账单比对" });
  await form.getByRole("radio", { name: "模拟支付" }).check();
  const day = form.getByRole("textbox", { name: "对账日期" });
  await day.fill(today);
  await day.press("Tab");
  await check("reconciliation-run");
  await form.getByRole("button", { name: "对账", exact: true }).click();
  await form.waitFor({ state: "hidden" });
  await page.getByText("对账单中没有 1 笔、金额不一致 1 笔").waitFor();
  await page.getByRole("button", { name: `${today}：2 笔差异待处理，2 笔一致`, pressed: true }).waitFor();
  await page.getByRole("cell", { name: "5,999.99", exact: true }).waitFor();
  await check("reconciliation-found");

  await page.getByRole("link", { name: `去处理订单 ${wrong} 的差异` }).click();
  const pane = page.getByRole("region", { name: "当前款项" });
  await pane.getByRole("cell", { name: `王五` }).waitFor();
  await page.keyboard.press("n");
  await pane.getByRole("textbox", { name: "处理意见" }).fill("渠道手续费，次日补回");
  await page.keyboard.press("Enter");
  await page.getByText("没有待处理的款项").waitFor();

  // After a second comparison only the decided cases remain.
  await visit(`/tuition-payment/reconciliation?date=${today}&gateway=simulated`);
  await page.getByRole("button", { name: "对账", exact: true }).click();
  await form.getByRole("button", { name: "对账", exact: true }).click();
  await form.waitFor({ state: "hidden" });
  await page.getByText("第 1-2 条 / 共 2 条").waitFor();
  await page.getByRole("cell", { name: /渠道手续费，次日补回/ }).waitFor();
  assert.equal(await page.getByRole("link", { name: `去处理订单 ${wrong} 的差异` }).count(), 0);
  await page.getByRole("link", { name: `查看订单 ${absent}` }).click();
  await page.getByRole("dialog", { name: "赵六的订单" }).waitFor();
});

test(
  "several orders are refunded at once, read back with their sum; a gateway that fails is told",
  atLength,
  async () => {
    const payers = [await addPayer({ studentName: "周八" }), await addPayer({ studentName: "周九" })];
    const paid = await Promise.all(payers.map((payer) => orders.settle(payer)));
    getData(await act(paid[1] ?? "", { result: "down" }));
    await visit("/tuition-payment/orders?keyword=%E5%91%A8&status=paid");
    await page.getByText("第 1-2 条 / 共 2 条").waitFor();
    await page.getByRole("checkbox", { name: "选择本页全部" }).check();
    await page.getByRole("button", { name: "退款 2 笔" }).click();
    const form = page.getByRole("dialog", { name: "退款 2 笔订单" });
    await form.getByLabel("退款原因").fill("停办");
    await form.getByRole("button", { name: "退款 ¥12,000.00" }).click();
    const readBack = page.getByRole("dialog", { name: /^退款 2 笔，合计 ¥12,000.00：周[八九]、周[八九]？$/ });
    await readBack.getByRole("button", { name: "退款 ¥12,000.00" }).click();
    await form.waitFor({ state: "hidden" });
    await untilStatus(payers[0]?.card ?? "", paid[0] ?? "", "refunded");
    await visit(`/tuition-payment/orders?open=${paid[1]}`);
    await page.getByText(/支付渠道未完成：simulated: /).waitFor();
    await check("order-refund-refused");
    getData(await act(paid[1] ?? "", { result: "success", notify: false }));
    await untilStatus(payers[1]?.card ?? "", paid[1] ?? "", "refunded");
  },
);

test(
  "in English, what is due and paid is told by grade and year; the home page has the day's figures",
  atLength,
  async () => {
    const payer = await addPayer({ grade: "2031", years: "2030", studentName: "Totals One" });
    getData(await act(await begin(payer)));
    const decided = await addPayer({ grade: "2031", years: "2030", studentName: "Totals Two" });
    getData(await orders.asAdmin("PUT", `/payableinfo/pay/${decided.payableId}/true`));
    await addPayer({ grade: "2031", years: "2030", studentName: "Totals Three" });
    await visit("/");
    await page.getByRole("button", { name: "English" }).click();
    await visit("/tuition-payment/totals?grade=2031&years=2030");
    await page.getByRole("cell", { name: "66.6%", exact: true }).waitFor();
    await page.getByText("2 of 3 payables paid").waitFor();
    await page.getByText("¥18,000.00").waitFor();
    await check("totals-en");
    await page.getByRole("link", { name: "View unpaid payables of grade 2031, 2030" }).click();
    await page.getByText("Totals Three").waitFor();
    await page.getByText("1–1 of 1").waitFor();

    await visit("/");
    await page.getByText(/^¥[1-9]\d,\d{3}\.00$/).waitFor();
    await check("home-tuition-en");
    await page.getByRole("link", { name: /Paid today/ }).click();
    await page.waitForURL(/orders\?sort=payTime/);
  },
);
