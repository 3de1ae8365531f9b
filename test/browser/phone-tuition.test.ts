import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { extractText, getDocumentProxy } from "unpdf";
import { openLocalServer } from "#demo/local-server.ts";
import { atLength } from "#test/at-length.ts";
import { getData, startTestApp } from "#test/app.ts";
import { buildWeb, cutLine } from "#test/browser/console.ts";
import { openPhoneTests } from "#test/browser/phone.ts";
import { openOrders } from "#test/orders.ts";
import { startCampusStandIn } from "#test/stand-ins/campus.ts";
import { startCcb } from "#test/stand-ins/payment-ccb.ts";
import { startWeChatPay } from "#test/stand-ins/payment-wechat.ts";

await buildWeb();
const app = await startTestApp({ settings: { PAY_SIMULATED: "1", STUDENT_IDENTITY: "demo" } });
const tests = await openPhoneTests(app);
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { addPayer, asAdmin, asCard, create, act, settle } = openOrders(app, token);

const home = "/h5/tuition/";
const enter = async (page: Page, card: string, label = "卡号", button = "登录") => {
  await page.getByLabel(label).fill(card);
  await page.getByRole("button", { name: button }).tap();
};
const ordersOf = async (card: string): Promise<Record<string, unknown>[]> =>
  getData(await asCard("GET", "/order/listOfCurrentUser", card)).list;
const submit = /提交并支付/;
const goToPay = async (page: Page) => {
  await page.getByRole("button", { name: "下一步" }).tap();
  await page.getByRole("button", { name: submit }).waitFor();
};

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
  await page.reload();
  assert.equal(await page.getByLabel("姓名").inputValue(), "张三");
  await page.getByRole("button", { name: "提交" }).dblclick();
  await page.getByText("待处理").waitFor();
  await page.getByText("<script>alert(1)</script> 住宿费有误").waitFor();
  const [said, ...more] = getData(await asCard("GET", "/feedbackmsg/listOfCurrentUser", card)).list;
  assert.equal(more.length, 0, "two taps are one feedback");
  await asAdmin("PUT", `/feedbackmsg/reply/${said.id}`, { reply: "已核对" });
  await page.reload();
  await page.getByText("已处理").waitFor();
  await page.getByText("已核对").waitFor();
  await check("tuition-feedback-dark");
  await page.getByRole("link", { name: "账户" }).tap();
  await page.getByText("未缴").waitFor();
  await page.getByText("学校答复").waitFor();
  await check("tuition-account-dark");
  await page.getByRole("link", { name: "反馈", exact: true }).tap();
  await page.getByRole("button", { name: "删除" }).tap();
  await page.getByRole("button", { name: "确定删除？" }).tap();
  await page.getByText("还没有反馈").waitFor();
});

test("two taps make one order, and so does a second try after a line that broke", atLength, async () => {
  const payer = await addPayer();
  const { page, visit } = await tests.open();
  await visit(home);
  await enter(page, payer.card);
  await goToPay(page);
  await page.route(
    "**/order/create",
    async (route) => {
      await route.fetch();
      await cutLine(route);
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

test("an order that cannot be read again after it was cancelled is not shown as it was", async () => {
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  const { page, visit } = await tests.open();
  await visit(`${home}orders/${String(orderNo)}`);
  await enter(page, payer.card);
  await page.getByRole("button", { name: "取消订单" }).tap();
  await page.route("**/order/detail/*", (route) => route.fulfill({ status: 500 }));
  await page.getByRole("button", { name: "确定取消订单？" }).tap();
  await page.getByRole("button", { name: "重试" }).waitFor();
  await page.unroute("**/order/detail/*");
  await page.getByRole("button", { name: "重试" }).tap();
  await page.getByText("已关闭").waitFor();
});

test("a server that does not respond is given up after a minute, when reading and when sending", async () => {
  const { card } = await addPayer();
  const { page, visit } = await tests.open();
  await page.clock.install();
  await page.route("**/feedbackmsg/listOfCurrentUser*", () => undefined, { times: 1 });
  await visit(`${home}feedback`);
  await enter(page, card);
  await page.getByLabel("姓名").fill("张三");
  await page.clock.fastForward("01:01");
  await page.getByRole("alert").getByText("无法连接到服务器").waitFor();
  await page.getByRole("button", { name: "重试" }).tap();
  await page.getByText("还没有反馈").waitFor();
  await page.getByLabel("联系电话").fill("555 0100 0001");
  await page.getByLabel("反馈内容").fill("住宿费有误");
  const asked = page.waitForRequest("**/feedbackmsg/save");
  await page.route("**/feedbackmsg/save", () => undefined, { times: 1 });
  await page.getByRole("button", { name: "提交" }).tap();
  await asked;
  await page.clock.fastForward("01:01");
  await page.getByRole("alert").getByText("无法连接到服务器").waitFor();
  await page.getByRole("button", { name: "提交" }).tap();
  await page.getByText("已提交，学校处理后").waitFor();
});

test("feedback whose answer is lost is stored once, when it is sent again after a reload too", async () => {
  const { card } = await addPayer();
  const { page, visit } = await tests.open();
  await visit(`${home}feedback`);
  await enter(page, card);
  await page.getByLabel("姓名").fill("张三");
  await page.getByLabel("联系电话").fill("555 0100 0001");
  await page.getByLabel("反馈内容").fill("住宿费有误");
  await page.route(
    "**/feedbackmsg/save",
    async (route) => {
      await route.fetch();
      await cutLine(route);
    },
    { times: 1 },
  );
  await page.getByRole("button", { name: "提交" }).tap();
  await page.getByRole("alert").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "提交" }).tap();
  await page.getByText("已提交，学校处理后").waitFor();
  assert.equal(getData(await asCard("GET", "/feedbackmsg/listOfCurrentUser", card)).list.length, 1);
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
  await page.getByRole("link", { name: "查看订单" }).waitFor();
  await page.getByRole("button", { name: "提交并支付 ¥4,800.00" }).tap();
  await page.getByRole("button", { name: "让支付失败" }).tap();
  await page.getByText("支付中").waitFor();
  await page.getByRole("button", { name: "取消订单" }).tap();
  await page.getByRole("button", { name: "确定取消订单？" }).tap();
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

test("a refunded order tells when it was refunded, but no account, since the money may have been returned in cash", async () => {
  const payer = await addPayer();
  const orderNo = await settle(payer);
  await app.pool`
    update tuition_payment.pay_order set status = 'refunded', refunded_fen = amount_fen, refunded_at = now()
    where order_no = ${orderNo}`;
  const { page, visit } = await tests.open();
  await visit(`${home}orders/${orderNo}`);
  await enter(page, payer.card);
  await page.getByText(/^已于 .* 退款。$/).waitFor();
});

test("the receipt is shown while a part is refunded, and the items where an order has none", async () => {
  const payer = await addPayer();
  const orderNo = await settle(payer);
  getData(await act(orderNo, { result: "down" }));
  const items = [{ payableId: payer.payableId, name: "住宿费" }];
  getData(await asAdmin("POST", `/order/refund/${orderNo}`, { reason: "退宿", items }));
  const { page, visit, check } = await tests.open();
  await visit(`${home}orders/${orderNo}`);
  await enter(page, payer.card);
  await page.getByText("退款中", { exact: true }).waitFor();
  await page.getByText("陆仟元整").waitFor();
  await check("tuition-refunding");
  // Money that pays for nothing has no receipt.
  await app.pool`update tuition_payment.order_item set state = 'surplus' where order_id = (
    select id from tuition_payment.pay_order where order_no = ${orderNo})`;
  await page.reload();
  await page.getByText("合计").waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("a look-up tells what is still due", async () => {
  const [payer, other] = [await addPayer(), await addPayer({ studentName: "李四" })];
  const waived = { kind: "waiver", items: [{ name: "学费" }], evidence: "减免审批 3" };
  getData(await asAdmin("POST", `/payableinfo/adjust/${other.payableId}`, waived));
  const { page, visit } = await tests.open();
  await visit(home);
  await enter(page, payer.card);
  await page.getByText("按学号和姓名查询").tap();
  await page.getByLabel("学号").fill(other.card);
  await page.getByLabel("姓名").fill("李四");
  await page.getByRole("button", { name: "查询", exact: true }).tap();
  await page.getByText("待缴 ¥1,200.00").waitFor();
});

test("a gateway that fails leaves the order, which is paid later, from another phone too", atLength, async () => {
  const payer = await addPayer();
  const { page, visit, check } = await tests.open();
  await visit(home);
  await enter(page, payer.card);
  await goToPay(page);
  await page.route(
    "**/order/pay/*",
    (route) =>
      route.fulfill({ status: 400, json: { success: false, code: "20004", message: "支付渠道失败", data: null } }),
    { times: 1 },
  );
  await page.getByRole("button", { name: submit }).tap();
  await page.getByRole("alert").getByText("支付页面打开失败：支付渠道失败").waitFor();
  await check("tuition-gateway-failed");
  await page.getByRole("button", { name: "继续支付" }).tap();
  await page.getByRole("button", { name: "确认支付" }).waitFor();
  const [order] = await ordersOf(payer.card);
  await page.goBack();
  await page.getByText("支付中").waitFor();
  await act(String(order?.["orderNo"]));
  await page.getByText("支付成功").waitFor();
});

test(
  "behind a gateway the page knows no card, and says so where nobody has signed the student in",
  atLength,
  async () => {
    const { card } = await addPayer();
    for (const identity of ["header", "signed"]) {
      const settings = { STUDENT_IDENTITY: identity, STUDENT_IDENTITY_SECRET: "a secret of tests" };
      const behind = await openPhoneTests(await startTestApp({ settings, beside: app }));
      const { page, visit, check, context } = await behind.open({ theme: "dark" });
      await visit(`${home}orders`);
      await page.getByText("您还没有登录").waitFor();
      assert.equal(await page.getByRole("textbox").count(), 0);
      await check(`tuition-${identity}-dark`);
      const time = String(Date.now());
      const sign = createHmac("sha256", settings.STUDENT_IDENTITY_SECRET).update(`${card}.${time}`).digest("hex");
      const proof = identity === "signed" ? { card_time: time, card_sign: sign } : {};
      await context.setExtraHTTPHeaders({ card_number: card, ...proof });
      await page.getByRole("button", { name: "重试" }).tap();
      await page.getByText("还没有订单").waitFor();
      await context.setExtraHTTPHeaders({});
      await page.getByRole("link", { name: "缴费", exact: true }).tap();
      await page.getByText("登录已过期").waitFor();
      await context.close();
    }
  },
);

test("where nothing proves a card, students are told that payment is not open", atLength, async () => {
  const closed = await openPhoneTests(await startTestApp({ settings: { STUDENT_IDENTITY: "" }, beside: app }));
  const { page, visit, check } = await closed.open({ locale: "en-GB" });
  await visit(home);
  await page.getByText("Payment is not open yet").waitFor();
  await check("tuition-not-served-en");
});

describe("at a bank, and inside the messaging app", async () => {
  const [bank, wechat] = [await startCcb(), await startWeChatPay()];
  const settings = {
    ...bank.settings,
    ...wechat.settings,
    STUDENT_IDENTITY: "demo",
    PUBLIC_URL: "https://pay.example",
    BASE_PATH: "/quintet",
  };
  const paying = await startTestApp({ settings, beside: app });
  const phones = await openPhoneTests(paying);
  after(async () => {
    await bank.close();
    await wechat.close();
  });

  test("the bank's page takes the form that the student's page posts", async () => {
    const { card } = await addPayer();
    const { page, visit, check, faults } = await phones.open();
    await visit(home);
    await enter(page, card);
    await goToPay(page);
    await page.getByLabel("中国建设银行").tap();
    await check("tuition-gateways");
    await page.getByRole("button", { name: submit }).tap();
    await page.waitForURL(bank.settings["PAY_CCB_PAGE_URL"] ?? "");
    assert.deepEqual(
      bank.calls.map(({ method, path }) => `${method} ${path}`),
      ["POST /CCBIS/ccbMain"],
    );
    assert.deepEqual(
      faults.splice(0).filter((fault) => !fault.startsWith(`asks for ${bank.url}`)),
      [],
    );
    const orderNo = String((await ordersOf(card))[0]?.["orderNo"]);
    await bank.pay(orderNo);
    await page.goto(`${paying.url}/tuitionpayment/pay/return/ccb?ORDERID=${orderNo}`);
    await page.getByText("支付成功").waitFor();
    assert.equal(new URL(page.url()).pathname, `/quintet${home}orders/${orderNo}`);
  });

  test("the messaging app is given what it pays with, and the page finds out what came of it", atLength, async () => {
    const { card } = await addPayer();
    const { page, visit, faults } = await phones.open();
    await page.addInitScript(`
      const agent = navigator.userAgent + " MicroMessenger/8.0.50";
      Object.defineProperty(Navigator.prototype, "userAgent", { get: () => agent });
      window.WeixinJSBridge = { invoke: (method, given, done) => { window.done = done; takeInvoked([method, given]); } };`);
    const { promise: invoked, resolve: takeInvoked } = Promise.withResolvers<[string, object]>();
    await page.exposeFunction("takeInvoked", takeInvoked);
    await visit(`${home}?openId=open-id-of-tests`);
    await enter(page, card);
    await goToPay(page);
    await page.getByLabel("微信支付").tap();
    await page.getByRole("button", { name: submit }).tap();
    const [method, given] = await invoked;
    assert.equal(method, "getBrandWCPayRequest");
    assert.deepEqual(Object.keys(given).toSorted(), [
      "appId",
      "nonceStr",
      "package",
      "paySign",
      "signType",
      "timeStamp",
    ]);
    await wechat.pay(String((await ordersOf(card))[0]?.["orderNo"]));
    await page.evaluate(`window.done({ err_msg: "get_brand_wcpay_request:ok" })`);
    await page.getByText("支付成功").waitFor();
    assert.deepEqual(faults, []);
  });
});

describe("with STUDENT_IDENTITY=campus", async () => {
  let appUrl = "";
  // The campus platform needs its redirect address before the app has an address, so it redirects users to this server,
  // which redirects them to the app.
  const door = await openLocalServer((request, response) => {
    response.writeHead(302, { location: `${appUrl}${request.url}` }).end();
  });
  const campus = await startCampusStandIn({ redirectUri: door.url + home });
  const behind = await startTestApp({
    beside: app,
    settings: {
      STUDENT_IDENTITY: "campus",
      ...campus.settings,
    },
  });
  appUrl = behind.url;
  const phones = await openPhoneTests(behind);
  after(async () => {
    await campus.close();
    await door.close();
  });

  test("the student is sent to the campus platform, and is back where they began", async () => {
    const { card } = await addPayer({ studentName: "Student Li" });
    campus.setVisitor(card);
    const { page } = await phones.open();
    await page.goto(`${appUrl}${home}feedback`);
    await page.getByLabel("反馈内容").fill("typed before the session ended");
    assert.equal(page.url(), `${appUrl}${home}feedback`, "the code is not left in the address");
    await page.getByLabel("姓名").fill("Student Li");
    await page.getByLabel("联系电话").fill("555 0100 0001");
    await app.pool`delete from platform.card_session`;
    await page.getByRole("button", { name: "提交" }).tap();
    await page.getByText("登录已过期").waitFor();
    await page.getByRole("button", { name: "重新登录" }).tap();
    await page.waitForURL(`${appUrl}${home}feedback`);
    assert.equal(await page.getByLabel("反馈内容").inputValue(), "typed before the session ended");
    await page.getByRole("button", { name: "提交" }).tap();
    await page.getByText("待处理").waitFor();
    assert.ok(!JSON.stringify(behind.logged).includes("visit-"), "no code reaches the log");
  });

  test("a code that somebody else has put into the address signs nobody in", atLength, async () => {
    const [own, other] = [
      await addPayer({ studentName: "Student Wu" }),
      await addPayer({ studentName: "Student Bad" }),
    ];
    campus.setVisitor(own.card);
    const { page } = await phones.open();
    await page.goto(`${appUrl}${home}?wxcode=code-${other.card}&state=1-2-3-4`);
    await page.getByRole("button", { name: "用校园账号登录" }).tap();
    await page.getByText("Student Wu").waitFor();
    assert.equal(await page.getByText("Student Bad").count(), 0);
    await page.getByRole("button", { name: "退出" }).tap();
    await page.getByRole("button", { name: "重新登录" }).tap();
    await page.getByText("Student Wu").waitFor();
  });
});
