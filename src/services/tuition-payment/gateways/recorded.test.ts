import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { makeSigningCertificate } from "#test/certificate.ts";
import { signEnvelope } from "#test/stand-ins/payment-abc.ts";
import { startPaymentServer } from "#test/stand-ins/payment-server.ts";
import { createAbcGateway } from "./abc.ts";
import { createCcbGateway } from "./ccb.ts";
import { GatewayError, type PayRequest } from "./gateway.ts";
import { readCertificateKey, readHexKey } from "./settings.ts";

// What the banks have really sent: recorded/README.md has the sources.

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
