import assert from "node:assert/strict";
import { after, test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { codeOf, openOrders, type Payer } from "#test/orders.ts";
import { startAbc } from "#test/stand-ins/payment-abc.ts";
import { startAlipay } from "#test/stand-ins/payment-alipay.ts";
import { startWeChatPay } from "#test/stand-ins/payment-wechat.ts";
import { startWeChatStandIn } from "#test/stand-ins/wechat.ts";
import { maskName } from "./link-routes.ts";

const [wechat, alipay, abc] = await Promise.all([startWeChatPay(), startAlipay(), startAbc()]);
const account = await startWeChatStandIn({ appId: "wxd678efh567hjc7ae", secret: "0123456789abcdef0123456789abcdef" });
after(() => Promise.all([wechat, alipay, abc, account].map((standIn) => standIn.close())));
for (const { notices } of [wechat, alipay, abc]) notices.plan(() => []);
const settings = {
  PUBLIC_URL: "https://pay.example.edu",
  ...wechat.settings,
  ...alipay.settings,
  ...abc.settings,
  PAY_WECHAT_APP_SECRET: account.secret,
  WECHAT_BASE_URL: account.url,
};
const app = await startTestApp({ settings });
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { asCard, asAdmin, addPayer, create, pay, detail } = openOrders(app, token);

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  app.call("POST", `/tuitionpayment/order/${path}`, { body, headers });
const makeLink = async ({ card }: Payer, orderNo: string): Promise<string> => {
  const { url } = getData(await asCard("POST", `/order/link/${orderNo}`, card));
  assert.match(url, /^https:\/\/pay\.example\.edu\/h5\/tuition\/link#[\w-]{43}$/);
  return new URL(url).hash.slice(1);
};
const phone = { "user-agent": "Mozilla/5.0 (Linux; Android 15) Mobile Safari/537.36" };
const desk = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/153" };

test("wechat is begun in each of its ways, and each answers the same again", async () => {
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  const wish = { gateway: "wechat" };
  assert.deepEqual(codeOf(await pay(payer.card, orderNo, wish)), ["10001", 400]);
  assert.deepEqual(codeOf(await pay(payer.card, orderNo, { ...wish, kind: "form" })), ["10001", 400]);
  const native = getData(await pay(payer.card, orderNo, { ...wish, kind: "native" }));
  assert.match(native.qr, /^weixin:/);
  const calls = wechat.calls.length;
  assert.deepEqual(getData(await pay(payer.card, orderNo, { ...wish, kind: "native" })), native);
  assert.equal(wechat.calls.length, calls, "nobody was asked");
  const { url } = getData(await pay(payer.card, orderNo, { ...wish, kind: "h5" }));
  const back = new URL(url).searchParams.get("redirect_url");
  assert.equal(back, `https://pay.example.edu/tuitionpayment/pay/return/wechat?orderNo=${orderNo}`);
  const { jsapi } = getData(await pay(payer.card, orderNo, { ...wish, kind: "jsapi", openId: "openid-1" }));
  assert.ok(jsapi.paySign);
  const countCalls = async (openId: string) => {
    getData(await pay(payer.card, orderNo, { ...wish, kind: "jsapi", openId }));
    return wechat.calls.length;
  };
  const told = wechat.calls.length;
  assert.equal(await countCalls("openid-1"), told);
  assert.equal(await countCalls("openid-2"), told + 1, "another payer needs parameters of their own");
  await wechat.pay(orderNo);
  assert.equal(getData(await asCard("GET", `/order/query/wechat/${orderNo}`, payer.card)).status, "paid");
});

test("a way of paying that the merchant has not is refused", async () => {
  const few = await startTestApp({ settings: { ...settings, PAY_WECHAT_KINDS: "native" }, beside: app });
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  const begin = (body: object) =>
    few.call("POST", `/tuitionpayment/order/pay/${orderNo}`, { headers: { card_number: payer.card }, body });
  assert.deepEqual(codeOf(await begin({ gateway: "wechat", kind: "h5" })), ["10001", 400]);
  assert.equal(getData(await begin({ gateway: "wechat" })).kind, "native");
});

test("alipay and abc have a page for phones and one for desks", async () => {
  const methodOf = (url: string) => new URL(url).searchParams.get("method");
  for (const [more, headers, method, type] of [
    [{}, phone, "alipay.trade.wap.pay", "2"],
    [{}, desk, "alipay.trade.page.pay", "1"],
    [{ kind: "h5" }, desk, "alipay.trade.wap.pay", "2"],
    [{ kind: "native" }, phone, "alipay.trade.page.pay", "1"],
  ] as const) {
    const [one, other] = [await addPayer(), await addPayer()];
    const [first, second] = [getData(await create(one)).orderNo, getData(await create(other)).orderNo];
    const as = (payer: Payer) => ({ card_number: payer.card, ...headers });
    const { url, kind } = getData(await post(`pay/${first}`, { gateway: "alipay", ...more }, as(one)));
    assert.deepEqual([kind, methodOf(url)], ["redirect", method]);
    getData(await post(`pay/${second}`, { gateway: "abc", ...more }, as(other)));
    assert.ok(String(abc.calls.at(-1)?.body).includes(`"PaymentLinkType":"${type}"`));
  }
});

test("whoever has the link sees what for and for whom, and pays; nobody else does", async () => {
  const payer = await addPayer({ studentName: "张三丰" });
  const { orderNo } = getData(await create(payer));
  const stranger = await addPayer();
  assert.deepEqual(codeOf(await asCard("POST", `/order/link/${orderNo}`, stranger.card)), ["10014", 404]);
  const secret = await makeLink(payer, orderNo);
  const linked = getData(await post("linked", { token: secret }));
  const { studentName, amount, status, payables, gateways } = linked;
  assert.deepEqual([studentName, amount, status], ["**丰", 6000, "created"]);
  assert.deepEqual(
    payables[0].items.map(({ name }: { name: string }) => name),
    ["学费", "住宿费"],
  );
  assert.deepEqual(
    gateways.map(({ gateway }: { gateway: string }) => gateway),
    ["abc", "wechat", "alipay"],
  );
  assert.ok(!JSON.stringify(linked).includes(payer.card), "the student's number is not told");
  for (const wrong of [`${secret.slice(1)}A`, orderNo])
    for (const path of ["linked", "linked/pay"])
      assert.deepEqual(codeOf(await post(path, { token: wrong, gateway: "alipay" })), ["10014", 404]);
  const { url } = getData(await post("linked/pay", { token: secret, gateway: "alipay" }, phone));
  await alipay.visit({ kind: "redirect", url });
  await alipay.pay(orderNo);
  assert.equal(getData(await post("linked", { token: secret })).status, "paid");
  assert.equal((await detail(payer.card, orderNo)).status, "paid");
  assert.deepEqual(codeOf(await post("linked/pay", { token: secret, gateway: "alipay" })), ["10007", 400]);
  assert.deepEqual(codeOf(await asCard("POST", `/order/link/${orderNo}`, payer.card)), ["10007", 400]);
  const logged = JSON.stringify(app.logged);
  assert.ok(!logged.includes(secret), "the secret stands in no log");
});

test("a new link ends the one before, and a link ends a day after its order", async () => {
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  const first = await makeLink(payer, orderNo);
  const second = await makeLink(payer, orderNo);
  assert.deepEqual(codeOf(await post("linked", { token: first })), ["10014", 404]);
  getData(await asCard("POST", `/order/close/${orderNo}`, payer.card));
  assert.equal(getData(await post("linked", { token: second })).status, "closed");
  assert.deepEqual(codeOf(await post("linked/pay", { token: second, gateway: "abc" })), ["10007", 400]);
  await app.pool`
    update tuition_payment.pay_order set closed_at = now() - interval '25 hours' where order_no = ${orderNo}`;
  assert.deepEqual(codeOf(await post("linked", { token: second })), ["10014", 404]);
});

test("the messaging app says who pays, once", async () => {
  const payer = await addPayer();
  const gateways = getData(await asCard("GET", "/order/gateways", payer.card));
  const { authorize } = gateways.find(({ gateway }: { gateway: string }) => gateway === "wechat");
  assert.deepEqual(authorize, {
    url: "https://open.weixin.qq.com/connect/oauth2/authorize",
    appId: wechat.settings["PAY_WECHAT_APP_ID"],
  });
  const { openId } = getData(await post("payer", { code: "code-parent" }));
  assert.equal(openId, account.openIdOf("code-parent"));
  assert.deepEqual(codeOf(await post("payer", { code: "code-parent" })), ["10007", 400]);
  const { PAY_WECHAT_APP_SECRET: _, ...without } = settings;
  const other = await startTestApp({ settings: without, beside: app });
  const answer = await other.call("POST", "/tuitionpayment/order/payer", { body: { code: "code-other" } });
  assert.deepEqual(codeOf(answer), ["20004", 503]);
});

test("what a gateway has shown with real money is told to administrators", async () => {
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  const triedOf = async (name: string) => {
    const list: Record<string, unknown>[] = getData(await asAdmin("GET", "/order/configuredGateways"));
    return list.find(({ gateway }) => gateway === name) ?? {};
  };
  assert.deepEqual((await triedOf("abc"))["lastPayment"], null);
  getData(await pay(payer.card, orderNo, { gateway: "abc" }));
  await abc.pay(orderNo);
  getData(await asCard("GET", `/order/query/abc/${orderNo}`, payer.card));
  const { lastPayment, lastRefund, lastStatement } = await triedOf("abc");
  assert.match(String(lastPayment), /^\d{4}-/);
  assert.deepEqual([lastRefund, lastStatement], [null, null]);
  const date = String(lastPayment).slice(0, 10);
  getData(await asAdmin("POST", "/reconcile/run", { gateway: "abc", date }));
  assert.equal((await triedOf("abc"))["lastStatement"], date);
});

test("a name is masked but for its last character", () => {
  assert.deepEqual(["张三", "欧阳修文", "李", ""].map(maskName), ["*三", "***文", "*", ""]);
});
