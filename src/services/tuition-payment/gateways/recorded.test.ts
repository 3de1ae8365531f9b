import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, describe, test } from "node:test";
import iconv from "iconv-lite";
import { buildArchive } from "#test/archive-fixture.ts";
import { makeSigningCertificate } from "#test/certificate.ts";
import { signEnvelope } from "#test/stand-ins/payment-abc.ts";
import { startPaymentServer } from "#test/stand-ins/payment-server.ts";
import { createAbcGateway } from "./abc.ts";
import { createAlipayGateway } from "./alipay.ts";
import { createCcbGateway } from "./ccb.ts";
import { type Gateway, GatewayError, type OrderReference, type PayRequest, type RefundRequest } from "./gateway.ts";
import { readAlipayKey, readCertificateKey, readHexKey } from "./settings.ts";

// Messages that the gateways have sent; recorded/README.md lists their sources.

const read = (name: string) => readFile(new URL(`recorded/${name}`, import.meta.url));
const clock = () => Date.parse("2021-02-04T08:00:00Z");

describe("ABC", async () => {
  const { privateKey, publicKey } = await makeSigningCertificate("1A2B3C4D");
  const bankKey = readCertificateKey((await read("abc-test.cer")).toString("base64"));
  const answers: Buffer[] = [];
  const server = await startPaymentServer(() => ({ status: 200, headers: {}, body: answers.pop() ?? Buffer.alloc(0) }));
  const merchant = {
    merchantId: "103882200000958",
    merchantKey: privateKey,
    baseUrl: server.url,
    allowsLegacyTls: false,
    timeoutMs: 5000,
    clock,
  };
  const gateway = createAbcGateway({ ...merchant, bankKey });
  const order: PayRequest = {
    orderNo: "ON2021456440301001",
    amountFen: 100,
    createdAt: new Date(clock()),
    expiresAt: new Date(clock() + 600_000),
    description: "学费",
    notifyUrl: "https://pay.example.edu/notify",
    returnUrl: "https://pay.example.edu/",
    device: "phone",
    payerIp: "203.0.113.7",
  };

  test("names its page beside the merchant, not in a part of its own", async (t) => {
    t.after(() => server.close());
    answers.push(await read("abc-pay-answer.json.gbk"));
    const url = "https://pay.test.abchina.com/perbankold/PaymentModeNewAct.ebf?TOKEN=16124277721648016933";
    assert.deepEqual(await gateway.pay(order), { kind: "redirect", url });
    const [call] = server.calls;
    const { Message, ...signature } = JSON.parse(String(call?.body));
    assert.deepEqual(Object.keys(signature), ["Signature-Algorithm", "Signature"]);
    const { Order, ...request } = Message.TrxRequest;
    assert.deepEqual([request.PaymentType, request.IsBreakAccount, request.NotifyType], ["A", "0", "1"]);
    assert.deepEqual(
      [Order.CommodityType, Order.InstallmentMark, Order.orderTimeoutDate],
      ["0410", "0", "20210204161000"],
    );
  });

  test("is not believed with another's certificate, or about another order", async (t) => {
    const { url, close } = await startPaymentServer(() => ({ status: 200, headers: {}, body: answers[0] as Buffer }));
    t.after(close);
    answers.push(await read("abc-pay-answer.json.gbk"));
    const stranger = createAbcGateway({ ...merchant, baseUrl: url, bankKey: publicKey });
    await assert.rejects(stranger.pay(order), GatewayError);
    const other = { ...order, orderNo: "ON2021456440301002" };
    await assert.rejects(createAbcGateway({ ...merchant, baseUrl: url, bankKey }).pay(other), GatewayError);
  });

  test("its refund and its statement say no more than the protocol has", async (t) => {
    const said: object[] = [];
    const { url, close } = await startPaymentServer(() => {
      const party = { MerchantID: merchant.merchantId };
      const message = { Merchant: party, TrxResponse: { ReturnCode: "0000", ...said.at(-1) } };
      return { status: 200, headers: {}, body: signEnvelope(message, privateKey) };
    });
    t.after(close);
    const bank = createAbcGateway({ ...merchant, baseUrl: url, bankKey: publicKey });
    const refund = { order, refundNo: "R1", amountFen: 70, requestedAt: order.createdAt };
    const stateOf = async (Status: string): Promise<string> => {
      const found = JSON.stringify({ OrderNo: "R1", RefundAmount: "0.70", Status });
      said.push({ TrxType: "Query", Order: Buffer.from(found).toString("base64") });
      const answer = bank.queryRefund(refund);
      return answer.then(({ state }) => state).catch((error: GatewayError) => error.failure);
    };
    const states = ["00", "01", "02", "03", "04", "05", "07", "99"];
    const unknown = "unknown";
    const told: string[] = [];
    for (const status of states) told.push(await stateOf(status));
    assert.deepEqual(told, [unknown, unknown, "running", "done", "done", unknown, unknown, "failed"]);
    const headings = "交易类型|订单编号|交易时间|交易金额|9014流水号|原订单号";
    const readDay = (record: string) => {
      const DetailRecords = `${headings}^^${record}`;
      said.push({ TrxType: "Settle", SettleDate: "2021/02/04", DetailRecords });
      return bank.fetchStatement("2021-02-04");
    };
    const back = await readDay("Refund|R1|20210204160000|-0.70|9R1|ON2021456440301001");
    assert.ok(back.state === "ready" && back.rows[0]?.kind === "refund" && back.rows[0].amountFen === 70);
    await assert.rejects(readDay("Sale|ON1|20210204160000|-0.70|9R1|"), GatewayError);
  });

  test("sends its notice as signed XML", async () => {
    const xml = await read("abc-notice.xml.gbk");
    const toRaw = (bytes: Buffer) => ({
      body: Buffer.from(new URLSearchParams({ MSG: bytes.toString("base64") }).toString()),
      headers: {},
    });
    assert.deepEqual(await gateway.verifyNotice(toRaw(xml)), {
      kind: "payment",
      orderNo: "ON2a01409240031121ww",
      payment: {
        state: "paid",
        amountFen: 1,
        tradeNo: "6IECEP01172931989049",
        paidAt: new Date("2020-06-18T19:33:13+08:00"),
      },
    });
    const changed = Buffer.from(xml.toString("latin1").replace("0.01", "9.01"), "latin1");
    await assert.rejects(gateway.verifyNotice(toRaw(changed)), { fault: "signature" });
    const other = createAbcGateway({ ...merchant, merchantId: "103882200000959", bankKey });
    await assert.rejects(other.verifyNotice(toRaw(xml)), { fault: "merchant" });
  });
});

describe("CCB", async () => {
  const notices: { publicKey: string; body: string }[] = JSON.parse(String(await read("ccb-notices.json")));
  const open = ({ publicKey, body }: { publicKey: string; body: string }) => {
    const field = (name: string): string => new URLSearchParams(body).get(name) ?? "";
    return createCcbGateway({
      merchantId: "105320148140002",
      posId: field("POSID"),
      branchId: field("BRANCHID"),
      publicKeyHex: publicKey,
      publicKey: readHexKey(publicKey),
      pageUrl: "http://127.0.0.1:9/",
      client: { url: "http://127.0.0.1:9/", merchantId: "", user: "", password: "", timeoutMs: 100 },
      clock,
    });
  };
  const told = [
    ["2004010061", { state: "pending" }],
    ["19991101234", { state: "paid", amountFen: 50_000, tradeNo: null, paidAt: new Date(clock()) }],
    ["2012122027066206", { state: "paid", amountFen: 1, tradeNo: null, paidAt: new Date(clock()) }],
  ] as const;

  for (const [index, notice] of notices.entries())
    test(`notice ${index + 1} is read, and refused once it is altered`, async () => {
      const gateway = open(notice);
      const [orderNo, payment] = told[index] ?? [];
      const raw = (body: string) => ({ body: Buffer.from(body), headers: {} });
      assert.deepEqual(await gateway.verifyNotice(raw(notice.body)), { kind: "payment", orderNo, payment });
      const changed = notice.body.replace("PAYMENT=", "PAYMENT=1");
      await assert.rejects(gateway.verifyNotice(raw(changed)), { fault: "signature" });
    });
});

interface AlipayMessage {
  readonly kind: "notice" | "query" | "close" | "refund" | "queryRefund";
  readonly source: string;
  readonly publicKey?: string;
  readonly body?: string;
  readonly said?: Readonly<Record<string, string>>;
}

describe("Alipay", async () => {
  const messages: AlipayMessage[] = JSON.parse(String(await read("alipay-messages.json")));
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const replies: Buffer[] = [];
  const server = await startPaymentServer(({ path }) => {
    const body = path === "/bill" ? replies.at(-1) : replies.shift();
    return { status: 200, headers: {}, body: body ?? Buffer.alloc(0) };
  });
  after(() => server.close());
  const open = (alipayKey = publicKey, appId = "2019073166072302") =>
    createAlipayGateway({
      appId,
      sellerId: "2088531891668739",
      merchantKey: privateKey,
      alipayKey,
      baseUrl: `${server.url}/gateway.do`,
      timeoutMs: 5000,
      clock,
    });
  const names = {
    query: "alipay_trade_query_response",
    close: "alipay_trade_close_response",
    refund: "alipay_trade_refund_response",
    queryRefund: "alipay_trade_fastpay_refund_query_response",
    notice: "",
  };
  const signAnew = (kind: AlipayMessage["kind"], said: object): Buffer => {
    const text = JSON.stringify(said);
    const signature = sign("sha256", Buffer.from(text), privateKey).toString("base64");
    return Buffer.from(`{"sign":"${signature}","${names[kind]}":${text}}`);
  };
  const order = (orderNo: string): OrderReference => ({ orderNo, amountFen: 1, createdAt: new Date(clock()) });
  const toRefund = (orderNo: string, refundNo: string): RefundRequest => ({
    order: order(orderNo),
    refundNo,
    amountFen: 1,
    requestedAt: new Date(clock()),
    reason: "退学",
    notifyUrl: "",
  });
  const signed = (kind: AlipayMessage["kind"]) => {
    const found = messages.find((message) => message.kind === kind && message.publicKey !== undefined);
    return { body: found?.body ?? "", key: readAlipayKey(found?.publicKey ?? "") };
  };

  test("signs a notice, which is refused once it is altered, or for another merchant", async () => {
    const { body, key } = signed("notice");
    const raw = (text: string) => ({ body: Buffer.from(text), headers: {} });
    assert.deepEqual(await open(key).verifyNotice(raw(body)), {
      kind: "payment",
      orderNo: "20190815155618536-564-57",
      payment: {
        state: "paid",
        amountFen: 10,
        tradeNo: "2019081522001468450512505578",
        paidAt: new Date("2019-08-15T15:56:24+08:00"),
      },
    });
    const changed = body.replace("total_amount=0.10", "total_amount=9.10");
    await assert.rejects(open(key).verifyNotice(raw(changed)), { fault: "signature" });
    await assert.rejects(open(key, "2019073166072303").verifyNotice(raw(body)), { fault: "merchant" });
    // Two fields merged into one have the same signed text, so such a form must be refused.
    const joined = body.replace("&trade_no=", "%26trade_no%3D");
    await assert.rejects(open(key).verifyNotice(raw(joined)), { fault: "signature" });
  });

  test("signs its answers, and says of a refund that was made before that nothing has moved", async () => {
    const [refund, queried] = [signed("refund"), signed("queryRefund")];
    const request = toRefund("Test11110003", "TestRefund11110003");
    replies.push(Buffer.from(refund.body), Buffer.from(queried.body));
    const done = { state: "done", amountFen: 1, refundTradeNo: null, doneAt: new Date(clock()) };
    assert.deepEqual(await open(refund.key).refund(request), done);
    replies.push(Buffer.from(queried.body.replace('"refund_amount":"0.01"', '"refund_amount":"0.02"')));
    await assert.rejects(open(queried.key).queryRefund(request), { failure: "unknown" });
    replies.push(Buffer.from(queried.body));
    await assert.rejects(open(queried.key).queryRefund({ ...request, refundNo: "R2" }), { failure: "unknown" });
  });

  test("says how trades and refunds stand", async () => {
    const gateway = open();
    const told: unknown[] = [];
    for (const { kind, said } of messages) {
      if (said === undefined) continue;
      const orderNo = said["out_trade_no"] ?? "NONE01";
      replies.push(signAnew(kind, said));
      if (said["sub_code"] === "ACQ.TRADE_STATUS_ERROR")
        replies.push(signAnew("query", { ...paidAnswer(), out_trade_no: orderNo }));
      const outcome = await ask(gateway, kind, orderNo).catch((error: GatewayError) => error.failure);
      told.push(typeof outcome === "object" ? outcome.state : outcome);
    }
    assert.deepEqual(replies, []);
    assert.deepEqual(told, ["paid", "pending", "closed", "absent", "closed", "paid", "done", "refused", "absent"]);
  });
  const paidAnswer = () => messages.find(({ kind, said }) => kind === "query" && said?.["code"] === "10000")?.said;
  const ask = (gateway: Gateway, kind: AlipayMessage["kind"], orderNo: string) => {
    if (kind === "query") return gateway.query(order(orderNo));
    if (kind === "close") return gateway.close?.(order(orderNo)) ?? assert.fail("cannot be closed");
    return gateway[kind === "refund" ? "refund" : "queryRefund"](toRefund(orderNo, "R1"));
  };

  test("its bill is read whole, or not at all", async () => {
    const csv = String(await read("alipay-bill.csv"));
    const bring = (text: string) => {
      const said = { code: "10000", msg: "Success", bill_download_url: `${server.url}/bill` };
      const content = JSON.stringify(said);
      const signature = sign("sha256", Buffer.from(content), privateKey).toString("base64");
      const name = "alipay_data_dataservice_bill_downloadurl_query_response";
      replies.push(
        Buffer.from(`{"${name}":${content},"sign":"${signature}"}`),
        buildArchive([{ name: "bill.csv", content: iconv.encode(text, "gbk") }]),
      );
      return open()
        .fetchStatement("2019-09-16")
        .finally(() => replies.splice(0));
    };
    const shared = { orderNo: "service_1568601259302", tradeNo: "2019091622001458860515315453", amountFen: 1 };
    assert.deepEqual(await bring(csv), {
      state: "ready",
      rows: [
        { ...shared, kind: "payment", at: new Date("2019-09-16T10:55:23+08:00") },
        { ...shared, kind: "refund", refundNo: "re_test_1568602607356", at: new Date("2019-09-16T10:56:48+08:00") },
      ],
    });
    await assert.rejects(bring(csv.slice(0, csv.indexOf("#----", 200))), { failure: "unknown" });
    await assert.rejects(bring(csv.replace("业务类型", "类型")), { failure: "unknown" });
  });
});
