import assert from "node:assert/strict";
import { after, test } from "node:test";
import { getData, startTestApp } from "#test/app.ts";
import { codeOf, openOrders } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { startAlipay } from "#test/stand-ins/payment-alipay.ts";
import { startAbc } from "#test/stand-ins/payment-abc.ts";
import { startCcb } from "#test/stand-ins/payment-ccb.ts";
import { startWeChatPay } from "#test/stand-ins/payment-wechat.ts";
import type { SentNotice } from "#test/stand-ins/payment-notices.ts";

const [wechat, ccb, abc, alipay] = await Promise.all([startWeChatPay(), startCcb(), startAbc(), startAlipay()]);
const standIns = [wechat, ccb, abc, alipay];
after(() => Promise.all(standIns.map((standIn) => standIn.close())));
for (const { notices } of standIns) notices.plan(() => []);
const settings = { PUBLIC_URL: "http://127.0.0.1:9", PAY_TIMEOUT_MS: "1000", ...wechat.settings, ...ccb.settings };
const app = await startTestApp({ settings: { ...settings, ...abc.settings, ...alipay.settings } });
const { token } = await app.signIn("tuition-payment", { isSuper: true });
const { asCard, asAdmin, addPayer, create, pay, detail, act } = openOrders(app, token);

const send = (gateway: string, { body, headers }: SentNotice) =>
  app.call("POST", `/tuitionpayment/pay/notify/${gateway}`, { raw: new Uint8Array(body), headers: { ...headers } });

test("the gateway that pretends is not there beside others", async () => {
  const { card } = await addPayer();
  const gateways = getData(await asCard("GET", "/order/gateways", card));
  assert.deepEqual(pick(gateways, "gateway", "kind"), ["ccb form", "abc redirect", "wechat jsapi", "alipay redirect"]);
  assert.deepEqual(gateways[2].kinds, ["jsapi", "h5", "native"]);
  const configured = getData(await asAdmin("GET", "/order/configuredGateways"));
  assert.deepEqual(
    configured,
    gateways.map((gateway: object) => ({ ...gateway, lastPayment: null, lastRefund: null, lastStatement: null })),
  );
  assert.deepEqual(codeOf(await asCard("GET", "/order/configuredGateways", card)), ["10012", 401]);
  assert.deepEqual(codeOf(await act("ANYORDER1", { result: "success", amount: 1 })), ["20004", 503]);
});

test("a gateway that fails leaves the order created, for any other", async () => {
  const payer = await addPayer();
  const { orderNo } = getData(await create(payer));
  assert.deepEqual(codeOf(await pay(payer.card, orderNo, { gateway: "wechat" })), ["10001", 400]);
  wechat.fail("busy");
  const wish = { gateway: "wechat", openId: "openid-of-nobody" };
  assert.deepEqual(codeOf(await pay(payer.card, orderNo, wish)), ["10015", 502]);
  abc.fail("silent");
  assert.deepEqual(codeOf(await pay(payer.card, orderNo, { gateway: "abc" })), ["20004", 502]);
  const { status, gateway } = await detail(payer.card, orderNo);
  assert.deepEqual([status, gateway], ["created", null]);
  const { jsapi } = getData(await pay(payer.card, orderNo, wish));
  assert.deepEqual(Object.keys(jsapi), ["appId", "timeStamp", "nonceStr", "package", "signType", "paySign"]);
  assert.deepEqual(codeOf(await pay(payer.card, orderNo, { gateway: "ccb" })), ["10017", 400]);
});

test("each gateway reads its own words; a forged notice changes nothing", async () => {
  for (const [name, standIn, good, bad] of [
    ["wechat", wechat, [204, ""], /^\{"code":"FAIL","message":"/],
    ["ccb", ccb, [200, "SUCCESS"], /^FAIL$/],
    ["abc", abc, [200, "SUCCESS"], /^FAIL$/],
    ["alipay", alipay, [200, "success"], /^failure$/],
  ] as const) {
    const payer = await addPayer();
    const { orderNo } = getData(await create(payer));
    const { form, url, jsapi, kind } = getData(
      await pay(payer.card, orderNo, { gateway: name, openId: "openid-of-nobody" }),
    );
    await standIn.visit({ kind, form, url, jsapi });
    await standIn.pay(orderNo);
    for (const forgery of standIn.forgeries) {
      const { status, text } = await send(name, standIn.makeNotice(orderNo, forgery));
      assert.equal(status, 400, `${name} ${forgery}`);
      assert.match(text, bad);
    }
    assert.equal((await detail(payer.card, orderNo)).status, "paying", name);
    const notice = standIn.makeNotice(orderNo);
    const answers = await Promise.all([1, 2, 3].map(() => send(name, notice)));
    for (const { status, text } of answers) assert.deepEqual([status, text], good);
    assert.equal((await detail(payer.card, orderNo)).status, "paid", name);
  }
});

test("a query that fails is told by the gateway's own code, and the order stays paying", async () => {
  for (const [name, standIn, code] of [
    ["wechat", wechat, ["20004", 502]],
    ["ccb", ccb, ["10016", 502]],
    ["abc", abc, ["10018", 502]],
  ] as const) {
    const payer = await addPayer();
    const { orderNo } = getData(await create(payer));
    getData(await pay(payer.card, orderNo, { gateway: name, openId: "openid-of-nobody" }));
    standIn.fail("altered");
    assert.deepEqual(codeOf(await asCard("GET", `/order/query/${name}/${orderNo}`, payer.card)), code);
    assert.equal((await detail(payer.card, orderNo)).status, "paying");
  }
});
