import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { extractText, getDocumentProxy } from "unpdf";
import { startTestApp } from "#test/app.ts";
import { buildWeb } from "#test/browser/console.ts";
import { openPhoneTests } from "#test/browser/phone.ts";
import { getData, openOrders } from "#test/orders.ts";

// What a student does on a phone, to its end: at the gateway that only pretends, with cards that nobody proves.

await buildWeb();
const app = await startTestApp({ settings: { PAY_SIMULATED: "1", STUDENT_IDENTITY: "demo" } });
const tests = await openPhoneTests(app);
after(() => tests.close());
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { addPayer, asAdmin, asCard, begin, create, act, settle } = openOrders(app, token);

const home = "/h5/tuition/";
const enter = async (page: Page, card: string, label = "卡号", button = "登录") => {
  await page.getByLabel(label).fill(card);
  await page.getByRole("button", { name: button }).tap();
};
const ordersOf = async (card: string): Promise<Record<string, unknown>[]> =>
  getData(await asCard("GET", "/order/listOfCurrentUser", card)).list;
/** Chooses everything that is due, and is about to pay. */
const goToPay = async (page: Page) => {
  await page.getByRole("button", { name: "下一步" }).tap();
  await page.getByRole("heading", { name: "确认并支付" }).waitFor();
};
const submit = /提交并支付/;

async function readPrint(page: Page, format: "A4" | "A5"): Promise<readonly string[]> {
  const bytes = await page.pdf({ format });
  return (await extractText(await getDocumentProxy(new Uint8Array(bytes)))).text;
}

test("a student signs in, pays what is chosen, and has a receipt to print", async () => {
  const { card } = await addPayer({
    studentName: "Student Zhang",
    payItemDetail: "Tuition:4800.50\\Lodging:1200",
    realPayAmount: 6000.5,
  });
  const { page, visit, check } = await tests.open();
  await visit(home);
  await page.getByText("演示", { exact: true }).waitFor();
  await check("tuition-sign-in");
  await page.getByRole("button", { name: "登录" }).tap();
  await page.getByRole("alert").getByText("请填写卡号").waitFor();
  assert.equal(await page.getByLabel("卡号").getAttribute("aria-invalid"), "true");
  await enter(page, card);
  await page.getByText("收费年度 2026").waitFor();
  await page.getByText("¥4,800.50").waitFor();
  await page.getByText("已选 2 项 ¥6,000.50").waitFor();
  await check("tuition-owed");
  await page.getByLabel("Lodging").tap();
  await page.getByText("已选 1 项 ¥4,800.50").waitFor();
  await goToPay(page);
  await check("tuition-pay");
  await page.getByRole("button", { name: "提交并支付 ¥4,800.50" }).tap();
  await page.getByRole("button", { name: "确认支付" }).tap();
  await page.getByText("支付成功").waitFor();
  const [order] = await ordersOf(card);
  assert.deepEqual([order?.["status"], order?.["amount"]], ["paid", 4800.5]);
  assert.equal(new URL(page.url()).pathname, `${home}orders/${String(order?.["orderNo"])}`);
  await page.getByText("肆仟捌佰元伍角整").waitFor();
  await check("tuition-receipt");
  for (const format of ["A4", "A5"] as const) {
    const sheets = await readPrint(page, format);
    assert.equal(sheets.length, 1, format);
    const [sheet = ""] = sheets;
    for (const text of ["Student Zhang", card, "Tuition", "4,800.50", String(order?.["orderNo"])])
      assert.ok(sheet.includes(text), `${format}: ${text}: ${sheet}`);
    assert.doesNotMatch(sheet, /Lodging/);
    assert.equal(sheet.split(String(order?.["orderNo"])).length, 2, "each fact once");
  }
  await page.getByRole("link", { name: "订单" }).tap();
  await page.getByRole("link", { name: /支付成功/ }).waitFor();
  await check("tuition-orders");
  await page.getByRole("link", { name: "缴费" }).tap();
  await page.getByText("待缴 ¥1,200.00").waitFor();
  await page.reload();
  await page.getByText("已选 1 项 ¥1,200.00").waitFor();
});

test("feedback is sent, listed with its state, and deleted", async () => {
  const { card } = await addPayer();
  const { page, visit, check } = await tests.open({ theme: "dark" });
  await visit(`${home}feedback`);
  await enter(page, card);
  await page.getByText("还没有反馈").waitFor();
  await page.getByRole("button", { name: "提交" }).tap();
  assert.equal(await page.getByRole("alert").count(), 3);
  await page.getByLabel("姓名").fill("张三");
  await page.getByLabel("联系电话").fill("abc");
  await page.getByLabel("反馈内容").fill("<script>alert(1)</script> 住宿费有误");
  await page.getByRole("alert").getByText("请填写 5 到 32 位").waitFor();
  await check("tuition-feedback-wrong-dark");
  await page.getByLabel("联系电话").fill("555 0100 0001");
  // What is typed outlives the page.
  await page.reload();
  assert.equal(await page.getByLabel("姓名").inputValue(), "张三");
  await page.getByRole("button", { name: "提交" }).dblclick();
  await page.getByText("待处理").waitFor();
  await page.getByText("<script>alert(1)</script> 住宿费有误").waitFor();
  const [said, ...more] = getData(await asCard("GET", "/feedbackmsg/listOfCurrentUser", card)).list;
  assert.equal(more.length, 0, "two taps are one feedback");
  await asAdmin("PUT", `/feedbackmsg/info/${said.id}`);
  await page.reload();
  await page.getByText("已处理").waitFor();
  await check("tuition-feedback-dark");
  await page.getByRole("button", { name: "删除" }).tap();
  await page.getByRole("button", { name: "确定删除？" }).tap();
  await page.getByText("还没有反馈").waitFor();
});

test("a grade that may not pay is told so, and what to do", async () => {
  const { card } = await addPayer({ grade: "2011" });
  const limits: { id: number; grade: string }[] = (await app.call("GET", "/enablePayLimit/list", { token })).json.data;
  const { id = 0 } = limits.find(({ grade }) => grade === "2011") ?? {};
  await app.call("PUT", `/enablePayLimit/setting/${id}/2`, { token });
  const { page, visit, check } = await tests.open({ locale: "en-GB", size: { width: 320, height: 640 } });
  await visit(home);
  await enter(page, card, "Card number", "Sign in");
  await page.getByText("2011级 cannot pay at present").waitFor();
  assert.equal(await page.getByRole("checkbox").count(), 0);
  assert.equal(await page.getByRole("button", { name: "Next" }).count(), 0);
  await check("tuition-grade-off-320-en");
  await page.getByRole("link", { name: "Give feedback" }).tap();
  await page.getByLabel("Phone").waitFor();
});

test("two taps make one order, and so does a second try after a line that broke", async () => {
  const payer = await addPayer();
  const { page, visit } = await tests.open();
  await visit(home);
  await enter(page, payer.card);
  await goToPay(page);
  // The order is made, and its answer lost.
  await page.route(
    "**/order/create",
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await page.getByRole("button", { name: submit }).dblclick();
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: submit }).dblclick();
  await page.getByRole("button", { name: "确认支付" }).waitFor();
  const made = await ordersOf(payer.card);
  assert.deepEqual(
    made.map(({ status }) => status),
    ["paying"],
  );
});

test("what was paid, taken or repriced meanwhile is said, and the rest can be paid", async () => {
  const payer = await addPayer({ payItemDetail: "学费:4800\\住宿费:1000\\教材费:200" });
  const { page, visit, check } = await tests.open();
  await visit(home);
  await enter(page, payer.card);
  await goToPay(page);
  const { card, payableId } = payer;
  await settle(payer, { payables: [{ payableId, items: ["住宿费"] }], amount: 1000 });
  await create(payer, { payables: [{ payableId, items: ["教材费"] }], amount: 200 });
  await page.getByRole("button", { name: submit }).tap();
  await page.getByText("应缴情况有变化").waitFor();
  assert.match(await page.getByRole("main").innerText(), /住宿费 · 已缴.*教材费 · 在未支付的订单中/s);
  await check("tuition-changed");
  await page.getByRole("button", { name: "提交并支付 ¥4,800.00" }).tap();
  await page.getByRole("button", { name: "支付失败" }).tap();
  await page.getByText("支付中").waitFor();
  await check("tuition-paying");
  await page.getByRole("button", { name: "取消订单" }).tap();
  await page.getByRole("button", { name: "确定取消？" }).tap();
  await page.getByText("已关闭").waitFor();
  await check("tuition-closed");
  await page.getByRole("button", { name: "再次支付" }).tap();
  await page.getByRole("button", { name: "提交并支付 ¥4,800.00" }).tap();
  await page.getByRole("button", { name: "确认支付" }).tap();
  await page.getByText("支付成功").waitFor();
  const states = (await ordersOf(card)).map(({ status, amount }) => [status, amount]);
  assert.deepEqual(states, [
    ["paid", 4800],
    ["closed", 4800],
    ["created", 200],
    ["paid", 1000],
  ]);
});

test("a gateway that fails leaves the order, which is paid later, from another phone too", async () => {
  const payer = await addPayer();
  const { page, visit, check } = await tests.open();
  await visit(home);
  await enter(page, payer.card);
  await goToPay(page);
  await page.route(
    "**/order/pay/*",
    (route) =>
      route.fulfill({ status: 502, json: { success: false, code: "20004", message: "支付渠道失败", data: null } }),
    { times: 1 },
  );
  await page.getByRole("button", { name: submit }).tap();
  await page.getByRole("alert").getByText("没能打开支付页面：支付渠道失败").waitFor();
  await check("tuition-gateway-failed");
  await page.getByRole("button", { name: "继续支付" }).tap();
  await page.getByRole("button", { name: "确认支付" }).waitFor();
  const [order] = await ordersOf(payer.card);
  await page.goBack();
  await page.getByText("支付中").waitFor();
  // Paid elsewhere: the page finds out by itself.
  await act(String(order?.["orderNo"]));
  await page.getByText("支付成功").waitFor();
});

test("number and name find what another student has to pay; markup in names is text", async () => {
  const other = await addPayer({ studentName: "<script>alert(1)</script>", payItemDetail: "<b>学费</b>:6000" });
  const { card } = await addPayer();
  const { page, visit, check } = await tests.open();
  await visit(home);
  await enter(page, card);
  await page.getByText("按学号和姓名查询").tap();
  await page.getByRole("button", { name: "查询" }).tap();
  assert.equal(await page.getByRole("alert").count(), 2);
  await page.getByLabel("学号").fill(other.card);
  await page.getByLabel("姓名").fill("somebody else");
  await page.getByRole("button", { name: "查询" }).tap();
  await page.getByText("没有找到").waitFor();
  await page.getByLabel("姓名").fill("<script>alert(1)</script>");
  await page.getByRole("button", { name: "查询" }).tap();
  await page.getByText("<b>学费</b>").waitFor();
  await check("tuition-look-up");
});

test("nothing owed, an order of somebody else, and a line that is cut are told, and mended", async () => {
  const other = await addPayer();
  const orderNo = await begin(other);
  const { page, visit, check, context } = await tests.open({ size: { width: 820, height: 1180 } });
  await visit(home);
  await enter(page, "nobody");
  await page.getByText("没有应缴项目").waitFor();
  await check("tuition-empty-820");
  await visit(`${home}orders/${orderNo}`);
  await page.getByText("没有这个订单").waitFor();
  await check("tuition-unknown-order-820");
  assert.equal((await app.call("GET", `${home}orders/no-number`, { headers: { accept: "text/html" } })).status, 404);
  await page.getByRole("link", { name: "订单", exact: true }).tap();
  await page.getByText("还没有订单").waitFor();
  await context.setOffline(true);
  await page.getByRole("link", { name: "缴费" }).tap();
  await page.getByRole("button", { name: "重试" }).waitFor();
  await context.setOffline(false);
  await page.getByRole("button", { name: "重试" }).tap();
  await page.getByText("没有应缴项目").waitFor();
});

test("everything is reached and done by keyboard", async () => {
  const { card } = await addPayer();
  const { page, visit } = await tests.open();
  await visit(home);
  await page.getByLabel("卡号").focus();
  await page.keyboard.type(card);
  await page.keyboard.press("Enter");
  const item = page.getByLabel("住宿费");
  await item.focus();
  await page.keyboard.press("Space");
  await page.getByText("已选 1 项 ¥4,800.00").waitFor();
  await page.getByRole("button", { name: "下一步" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: submit }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "确认支付" }).waitFor();
  assert.equal((await ordersOf(card)).length, 1);
});
