import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { openLocalServer } from "#demo/local-server.ts";
import { getData, startTestApp } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { buildWeb } from "#test/browser/console.ts";
import { openPhoneTests, type PhoneOptions } from "#test/browser/phone.ts";
import { openOrders, type Payer } from "#test/orders.ts";
import { startAlipay } from "#test/stand-ins/payment-alipay.ts";
import { startWeChatPay } from "#test/stand-ins/payment-wechat.ts";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";

await buildWeb();
const [wechat, alipay] = await Promise.all([startWeChatPay(), startAlipay()]);
const account = await startWeChatStandIn({
  appId: wechat.settings["PAY_WECHAT_APP_ID"] ?? "",
  secret: "0123456789abcdef0123456789abcdef",
});
const authorized: URLSearchParams[] = [];
/** This server stands in for WeChat's authorization, which redirects back with a code. */
const door = await openLocalServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "/", "http://door");
  authorized.push(searchParams);
  const back = new URL(searchParams.get("redirect_uri") ?? "");
  back.searchParams.set("code", `code-payer-${authorized.length}`);
  back.searchParams.set("state", searchParams.get("state") ?? "");
  response.writeHead(302, { location: back.href }).end();
});
const app = await startTestApp({
  settings: {
    ...wechat.settings,
    ...alipay.settings,
    STUDENT_IDENTITY: "demo",
    PUBLIC_URL: "https://pay.example",
    PAY_WECHAT_APP_SECRET: account.secret,
    PAY_WECHAT_AUTHORIZE_URL: `${door.url}/authorize`,
    WECHAT_BASE_URL: account.url,
  },
});
const phones = await openPhoneTests(app);
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { addPayer, asCard, create } = openOrders(app, token);
after(async () => {
  await Promise.all([wechat, alipay, account, door].map((standIn) => standIn.close()));
});

const submit = /提交并支付|Submit and pay/;
async function goToPay(payer: Payer, options: PhoneOptions = {}) {
  const phone = await phones.open(options);
  const { page, visit } = phone;
  const isChinese = (options.locale ?? "zh-CN") === "zh-CN";
  await visit("/h5/tuition/");
  await page.getByLabel(isChinese ? "卡号" : "Card number").fill(payer.card);
  await page.getByRole("button", { name: isChinese ? "登录" : "Sign in" }).click();
  await page.getByRole("button", { name: isChinese ? "下一步" : "Next" }).click();
  await page.getByRole("button", { name: submit }).waitFor();
  return phone;
}
const numberOf = async ({ card }: Payer): Promise<string> =>
  getData(await asCard("GET", "/order/listOfCurrentUser", card)).list[0].orderNo;
/** Requests to the gateways and to WeChat's authorization are the payment itself, so their faults do not count. */
const withoutPaying = (faults: string[]): string[] =>
  faults
    .splice(0)
    .filter((fault) => ![wechat.url, alipay.url, door.url].some((url) => fault.includes(new URL(url).host)));
const returnTo = (page: Page, gateway: string, orderNo: string) =>
  page.goto(`${app.url}/tuitionpayment/pay/return/${gateway}?orderNo=${orderNo}`);
const insideApp = `
  const agent = navigator.userAgent + " MicroMessenger/8.0.50";
  Object.defineProperty(Navigator.prototype, "userAgent", { get: () => agent });
  window.WeixinJSBridge = { invoke: (method, given, done) => { window.done = done; takeInvoked([method, given]); } };`;

test("on a desk a code is scanned, and the page finds out that it was paid", async () => {
  for (const [theme, locale] of [
    ["light", "zh-CN"],
    ["dark", "en-GB"],
  ] as const) {
    const payer = await addPayer();
    const { page, check } = await goToPay(payer, { onDesk: true, theme, locale });
    await check(`tuition-desk-gateways-${theme}-${locale}`);
    await page.getByLabel(locale === "zh-CN" ? "微信支付" : "WeChat Pay").click();
    await page.getByRole("button", { name: submit }).click();
    await page.getByRole("img", { name: locale === "zh-CN" ? "用微信扫码支付" : "Scan with WeChat to pay" }).waitFor();
    await check(`tuition-desk-code-${theme}-${locale}`);
    await page.reload();
    await page.getByRole("img").first().waitFor();
    await wechat.pay(await numberOf(payer));
    await page.getByText(locale === "zh-CN" ? "支付成功" : "Paid", { exact: true }).waitFor();
    await check(`tuition-desk-receipt-${theme}-${locale}`);
  }
});

test("another browser of a phone is sent to the messaging app, and says from where it comes", atLength, async () => {
  const payer = await addPayer();
  const { page, check, faults } = await goToPay(payer, { theme: "dark" });
  await page.getByLabel("微信支付").tap();
  await check("tuition-phone-gateways-dark");
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().includes("/checkmweb")),
    page.waitForURL(/checkmweb/),
    page.getByRole("button", { name: submit }).tap(),
  ]);
  assert.equal(answer.status(), 200, "it was told where the payer comes from");
  const orderNo = await numberOf(payer);
  await wechat.pay(orderNo);
  await returnTo(page, "wechat", orderNo);
  await page.getByText("支付成功").waitFor();
  assert.deepEqual(withoutPaying(faults), []);
});

test("inside the messaging app the payer is asked for there, once, and pays without leaving", async () => {
  const payer = await addPayer();
  const { page, visit, check, faults } = await phones.open();
  await page.addInitScript(insideApp);
  const { promise: invoked, resolve: takeInvoked } = Promise.withResolvers<[string, object]>();
  await page.exposeFunction("takeInvoked", takeInvoked);
  await visit("/h5/tuition/");
  await page.getByLabel("卡号").fill(payer.card);
  await page.getByRole("button", { name: "登录" }).tap();
  await page.getByRole("button", { name: "下一步" }).tap();
  await page.getByRole("button", { name: submit }).waitFor();
  assert.equal(await page.getByLabel("支付宝").isDisabled(), true, "the app opens no page of it");
  await check("tuition-in-app");
  await page.getByRole("button", { name: submit }).tap();
  assert.equal((await invoked)[0], "getBrandWCPayRequest");
  const asked = authorized.at(-1);
  assert.deepEqual(
    ["appid", "response_type", "scope"].map((name) => asked?.get(name)),
    [wechat.settings["PAY_WECHAT_APP_ID"], "code", "snsapi_base"],
  );
  const body = JSON.parse(String(wechat.calls.find(({ path }) => path.endsWith("/jsapi"))?.body));
  assert.equal(body.payer.openid, account.openIdOf(`code-payer-${authorized.length}`));
  assert.doesNotMatch(page.url(), /code=|state=/, "the code is not left in the address");
  await wechat.pay(await numberOf(payer));
  await page.evaluate(`window.done({ err_msg: "get_brand_wcpay_request:ok" })`);
  await page.getByText("支付成功").waitFor();
  assert.ok(!JSON.stringify(app.logged).includes("code-payer"), "no code reaches the log");
  assert.deepEqual(withoutPaying(faults), []);
});

test("a code that somebody else has put into the address names no payer", atLength, async () => {
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  const calls = account.received.length;
  const { page, visit } = await phones.open();
  await page.addInitScript(insideApp);
  await visit("/h5/tuition/");
  await page.getByLabel("卡号").fill(payer.card);
  await page.getByRole("button", { name: "登录" }).tap();
  await page.getByText("在未支付的订单中").first().waitFor();
  await page.goto(`${app.url}/h5/tuition/orders/${orderNo}?code=code-of-another&state=1`);
  await page.getByRole("button", { name: "继续支付" }).waitFor();
  assert.match(page.url(), /code=code-of-another/, "the page has not taken it");
  assert.equal(account.received.length, calls, "it was not exchanged");
});

test("alipay is paid on its own page", atLength, async () => {
  const payer = await addPayer();
  const { page, faults } = await goToPay(payer);
  await page.getByLabel("支付宝").tap();
  await Promise.all([page.waitForURL(/alipay\.trade\.wap\.pay/), page.getByRole("button", { name: submit }).tap()]);
  const orderNo = await numberOf(payer);
  await alipay.pay(orderNo);
  await returnTo(page, "alipay", orderNo);
  await page.getByText("支付成功").waitFor();
  assert.deepEqual(withoutPaying(faults), []);
});

test("a parent pays by the student's link, without a card, and the student has the receipt", async () => {
  for (const [theme, locale] of [
    ["light", "zh-CN"],
    ["dark", "en-GB"],
  ] as const) {
    const isChinese = locale === "zh-CN";
    const payer = await addPayer({ studentName: "张三丰" });
    const { orderNo } = getData(await create(payer));
    const student = await phones.open({ theme, locale });
    await student.visit(`/h5/tuition/orders/${orderNo}`);
    await student.page.getByLabel(isChinese ? "卡号" : "Card number").fill(payer.card);
    await student.page.getByRole("button", { name: isChinese ? "登录" : "Sign in" }).tap();
    await student.page.getByRole("button", { name: isChinese ? "请别人代付" : "Ask someone else to pay" }).tap();
    const link = new URL(await student.page.getByText("/h5/tuition/link#").innerText());
    await student.page.getByRole("img").waitFor();
    await student.check(`tuition-share-${theme}-${locale}`);

    const { page, visit, check, faults } = await phones.open({ theme, locale, onDesk: !isChinese });
    await visit(link.pathname + link.hash);
    await page.getByText("**丰").waitFor();
    await page.getByText("¥6,000.00").first().waitFor();
    assert.doesNotMatch(await page.getByRole("main").innerText(), new RegExp(payer.card));
    await page.getByLabel(isChinese ? "支付宝" : "Alipay").click();
    await check(`tuition-link-${theme}-${locale}`);
    const pay = page.getByRole("button", { name: isChinese ? "支付 ¥6,000.00" : "Pay ¥6,000.00" });
    await Promise.all([page.waitForURL(/alipay\.trade/), pay.click()]);
    await alipay.pay(orderNo);
    await returnTo(page, "alipay", orderNo);
    await page.getByText(isChinese ? "支付成功" : "Paid", { exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/h5/tuition/link", "back at the link, not at the student's order");
    assert.deepEqual(withoutPaying(faults), []);
    await check(`tuition-link-paid-${theme}-${locale}`);
    await student.page.reload();
    await student.page.getByText(isChinese ? "支付成功" : "Paid", { exact: true }).waitFor();
  }
});

test("a link tells when its order was closed", async () => {
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  const link = new URL(getData(await asCard("POST", `/order/link/${orderNo}`, payer.card)).url);
  getData(await asCard("POST", `/order/close/${orderNo}`, payer.card));
  const { page, visit } = await phones.open();
  await visit(link.pathname + link.hash);
  await page.getByText(/^已于 20\d\d-.* 关闭/).waitFor();
});

test("another link in the same tab shows its own order, and an order that was closed meanwhile is shown so", async () => {
  const [first, second] = [await addPayer({ studentName: "张三丰" }), await addPayer({ studentName: "李四光" })];
  const link = async (payer: Payer) => {
    const { orderNo } = getData(await create(payer));
    const { url } = getData(await asCard("POST", `/order/link/${String(orderNo)}`, payer.card));
    const { pathname, hash } = new URL(String(url));
    return { orderNo: String(orderNo), address: pathname + hash };
  };
  const [one, other] = [await link(first), await link(second)];
  const { page, visit } = await phones.open();
  await visit(one.address);
  await page.getByText("**丰").waitFor();
  await visit(other.address);
  await page.getByText("**光").waitFor();
  await page.getByLabel("支付宝").tap();
  await asCard("POST", `/order/close/${other.orderNo}`, second.card);
  await page.getByRole("button", { name: "支付 ¥6,000.00" }).tap();
  await page.getByText("链接已失效").or(page.getByText("已关闭")).waitFor();
});

test("inside the messaging app nobody is told to open the page there", async () => {
  const settings = {
    ...wechat.settings,
    ...alipay.settings,
    PAY_WECHAT_KINDS: "native",
    PUBLIC_URL: "https://pay.example",
  };
  const scanned = await startTestApp({ settings: { ...settings, STUDENT_IDENTITY: "demo" }, beside: app });
  const { page, visit } = await (await openPhoneTests(scanned)).open();
  await page.addInitScript(insideApp);
  const payer = await addPayer();
  await visit("/h5/tuition/");
  await page.getByLabel("卡号").fill(payer.card);
  await page.getByRole("button", { name: "登录" }).tap();
  await page.getByRole("button", { name: "下一步" }).tap();
  await page.getByText("微信支付").waitFor();
  assert.equal(await page.getByText("请在其他浏览器里打开本页").count(), 2);
});

test("the payment begins once the messaging app is ready", { timeout: 60_000 }, async () => {
  const payer = await addPayer();
  const { page, visit } = await phones.open();
  await page.addInitScript(`${insideApp}
    const bridge = window.WeixinJSBridge;
    delete window.WeixinJSBridge;
    window.letIn = () => {
      window.WeixinJSBridge = bridge;
      document.dispatchEvent(new Event("WeixinJSBridgeReady"));
    };`);
  const { promise: invoked, resolve: takeInvoked } = Promise.withResolvers<[string, object]>();
  await page.exposeFunction("takeInvoked", takeInvoked);
  await visit("/h5/tuition/?openId=open-id-of-tests");
  await page.getByLabel("卡号").fill(payer.card);
  await page.getByRole("button", { name: "登录" }).tap();
  await page.getByRole("button", { name: "下一步" }).tap();
  const begun = page.waitForResponse((response) => response.url().includes("/order/pay/"));
  await page.getByRole("button", { name: submit }).tap();
  await begun;
  await page.waitForTimeout(200);
  await page.evaluate("window.letIn()");
  assert.equal((await invoked)[0], "getBrandWCPayRequest");
});

test("a link that has ended says so", atLength, async () => {
  const { page, visit, check } = await phones.open();
  await visit("/h5/tuition/link#nothing-of-the-kind");
  await page.getByText("链接已失效").waitFor();
  await check("tuition-link-ended");
});
