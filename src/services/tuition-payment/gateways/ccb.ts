import { createHash, type KeyObject, verify } from "node:crypto";
import type { Clock } from "#platform/contract/times.ts";
import { callCcb, type CcbClient } from "./ccb-client.ts";
import { listCcbDay, queryCcb, queryCcbRefund } from "./ccb-queries.ts";
import { answerBank, fromBankYuan, refundOnce, toBankTime, toBankYuan } from "./exchange.ts";
import {
  believeNotice,
  type Gateway,
  type Notice,
  NoticeRefusal,
  type PayRequest,
  type RawNotice,
  type Refund,
  type RefundRequest,
} from "./gateway.ts";

export interface CcbMerchant {
  readonly merchantId: string;
  readonly posId: string;
  readonly branchId: string;
  readonly publicKeyHex: string;
  readonly publicKey: KeyObject;
  readonly pageUrl: string;
  readonly client: CcbClient;
  readonly clock: Clock;
}

const yuanCurrency = "01";
const payCode = "520100";
const refundCode = "5W1004";

/**
 * The payer's browser posts a form to the bank. The address for notices is configured in the bank's console, so
 * requests do not contain it.
 */
export function createCcbGateway(merchant: CcbMerchant): Gateway {
  const { client, clock } = merchant;
  const queryRefund: Gateway["queryRefund"] = (reference) => queryCcbRefund(client, reference, clock());
  return {
    name: "ccb",
    kinds: ["form"],
    pay: async (request) => ({ kind: "form", form: { action: merchant.pageUrl, fields: toForm(merchant, request) } }),
    query: (order) => queryCcb(client, order, clock()),
    refund: (request) => refundOnce(queryRefund, () => refund(merchant, request), request),
    queryRefund,
    verifyNotice: async (raw) => readNotice(merchant, raw),
    answerNotice: answerBank,
    fetchStatement: async (date) => ({ state: "ready", rows: await listCcbDay(client, date) }),
  };
}

/** The bank closes the order at TIMEOUT and has no call for closing an order earlier. */
function toForm({ merchantId, posId, branchId, publicKeyHex }: CcbMerchant, request: PayRequest) {
  const fields = {
    MERCHANTID: merchantId,
    POSID: posId,
    BRANCHID: branchId,
    ORDERID: request.orderNo,
    PAYMENT: toBankYuan(request.amountFen),
    CURCODE: yuanCurrency,
    TXCODE: payCode,
    REMARK1: "",
    REMARK2: "",
    TYPE: "1",
    GATEWAY: "",
    CLIENTIP: "",
    REGINFO: "",
    PROINFO: "",
    REFERER: "",
    TIMEOUT: toBankTime(request.expiresAt).replaceAll(/\D/g, ""),
  };
  // The signature covers the fields in the sequence that the bank's document gives, with PUB after TYPE.
  const entries = Object.entries(fields);
  entries.splice(entries.findIndex(([name]) => name === "TYPE") + 1, 0, ["PUB", publicKeyHex.slice(-secretDigits)]);
  return { ...fields, MAC: createHash("md5").update(joinFields(entries)).digest("hex") };
}

async function refund({ client, clock }: CcbMerchant, request: RefundRequest): Promise<Refund> {
  const info = {
    MONEY: toBankYuan(request.amountFen),
    ORDER: request.order.orderNo,
    REFUND_CODE: request.refundNo,
  };
  await callCcb(client, refundCode, info);
  return { state: "done", amountFen: request.amountFen, refundTradeNo: null, doneAt: new Date(clock()) };
}

const readNotice = (merchant: CcbMerchant, { body }: RawNotice): Notice =>
  believeNotice("ccb", () => {
    const fields = readSignedFields(body.toString("latin1"), merchant.publicKey);
    if (!fields) throw refuse("signature", "the signature is missing or invalid");
    const field = (name: string): string => fields.get(name) ?? "";
    if (field("POSID") !== merchant.posId || field("BRANCHID") !== merchant.branchId)
      throw refuse("merchant", "the notice is for another counter");
    const [orderNo, success] = [field("ORDERID"), field("SUCCESS")];
    if (orderNo === "" || field("CURCODE") !== yuanCurrency || !/^[YN]$/.test(success))
      throw new RangeError("not a payment notice");
    const amountFen = fromBankYuan(field("PAYMENT"));
    // The notice states only a date, so its time of arrival is used as the more precise time of payment.
    const payment = { state: "paid", amountFen, tradeNo: null, paidAt: new Date(merchant.clock()) } as const;
    return { kind: "payment", orderNo, payment: success === "Y" ? payment : { state: "pending" } };
  });

const refuse = (fault: NoticeRefusal["fault"], reason: string) => new NoticeRefusal("ccb", fault, reason);

// A request has an MD5 of its fields and of the end of the counter's public key, which serves as a shared secret. A
// notice is signed with the counter's private key.

const secretDigits = 30;

const joinFields = (entries: readonly (readonly [string, string])[]): string =>
  entries.map(([name, value]) => `${name}=${value}`).join("&");

/**
 * Returns undefined unless the last field is SIGN and signs all other fields. The signature covers decoded values, so
 * repeated names, and values with `&` or `=`, would be ambiguous and are refused.
 */
function readSignedFields(body: string, key: KeyObject): ReadonlyMap<string, string> | undefined {
  const decode = (text: string): string =>
    text
      .replaceAll("+", " ")
      .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const entries = body.split("&").map((pair) => pair.split("=").map(decode) as [string, string?, ...string[]]);
  const [last, signature = ""] = entries.pop() ?? [];
  const isPlain = entries.every((pair) => pair.length === 2 && !/[&=]/.test(pair.join("")));
  const fields = new Map(entries.map(([name, value = ""]) => [name, value]));
  if (last !== "SIGN" || !/^[0-9a-f]+$/i.test(signature) || !isPlain || fields.size !== entries.length)
    return undefined;
  const signed = Buffer.from(joinFields([...fields]), "latin1");
  return verify("md5", signed, key, Buffer.from(signature, "hex")) ? fields : undefined;
}
