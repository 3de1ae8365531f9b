import { createHash, type KeyObject, verify } from "node:crypto";
import type { Clock } from "#platform/contract/times.ts";
import { listCcbDay, queryCcb, queryCcbRefund } from "./ccb-queries.ts";
import { answerBank, exchange, fromBankYuan, refundOnce, toBankTime, toBankYuan } from "./exchange.ts";
import {
  type Gateway,
  GatewayError,
  type Notice,
  NoticeRefusal,
  type PayRequest,
  type RawNotice,
  type Refund,
  type RefundRequest,
  unbelievable,
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

/** The first bank: a form that the payer's browser takes to the bank's page. Where notices go is set in its console. */
export function createCcbGateway(merchant: CcbMerchant): Gateway {
  const { client, clock } = merchant;
  const queryRefund: Gateway["queryRefund"] = (reference) => queryCcbRefund(client, reference, clock());
  return {
    name: "ccb",
    kind: "form",
    pay: async (request) => ({ kind: "form", form: { action: merchant.pageUrl, fields: toForm(merchant, request) } }),
    query: (order) => queryCcb(client, order, clock()),
    refund: (request) => refundOnce(queryRefund, () => refund(merchant, request), request),
    queryRefund,
    verifyNotice: async (raw) => readNotice(merchant, raw),
    answerNotice: answerBank,
    fetchStatement: async (date) => ({ state: "ready", rows: await listCcbDay(client, date) }),
  };
}

/** The bank closes the order at TIMEOUT by itself: it has no other way. */
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
  return { ...fields, MAC: sealForm(fields, publicKeyHex) };
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

function readNotice(merchant: CcbMerchant, { body }: RawNotice): Notice {
  const fields = readSignedFields(body.toString("latin1"), merchant.publicKey);
  if (!fields) throw refuse("signature", "a wrong signature, or none");
  const field = (name: string): string => fields.get(name) ?? "";
  if (field("POSID") !== merchant.posId || field("BRANCHID") !== merchant.branchId)
    throw refuse("merchant", "another counter's");
  try {
    return toNotice(field, new Date(merchant.clock()));
  } catch {
    throw refuse("malformed", "a notice that is not of the protocol");
  }
}

/** It names a day, no time: the moment of its arrival is closer. */
function toNotice(field: (name: string) => string, now: Date): Notice {
  const [orderNo, success] = [field("ORDERID"), field("SUCCESS")];
  if (orderNo === "" || field("CURCODE") !== yuanCurrency || !/^[YN]$/.test(success)) throw new RangeError("no notice");
  const amountFen = fromBankYuan(field("PAYMENT"));
  const payment = { state: "paid", amountFen, tradeNo: null, paidAt: now } as const;
  return { kind: "payment", orderNo, payment: success === "Y" ? payment : { state: "pending" } };
}

const refuse = (fault: NoticeRefusal["fault"], reason: string) => new NoticeRefusal("ccb", fault, reason);

// CCB's client is a program of the bank's that runs beside the merchant and holds its certificate. It takes XML in a
// form and answers XML in GB18030, neither of which is signed: the network between is the merchant's own.

export interface CcbClient {
  readonly url: string;
  readonly merchantId: string;
  readonly user: string;
  readonly password: string;
  readonly timeoutMs: number;
}

export type CcbRecord = (name: string) => string;

export interface CcbAnswer {
  readonly value: CcbRecord;
  readonly list: readonly CcbRecord[];
}

const done = "000000";
/** The second comes without the question's TX_CODE. */
const nothingFound = new Set(["0250E0200001", "YDCA02910001"]);
/** Its own time ran out, or the bank's: the outcome is open. */
const open = new Set(["0130Z110TIME"]);

/** @throws GatewayError `refused` for a code of the bank's, `unknown` for everything else. */
export async function callCcb(
  client: CcbClient,
  code: string,
  info: Readonly<Record<string, string>>,
): Promise<CcbAnswer> {
  const requestNo = makeRequestNo();
  const answer = await exchange({
    gateway: "ccb",
    url: new URL(client.url),
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `requestXml=${encodeURIComponent(writeRequest(client, code, requestNo, info))}`,
    timeoutMs: client.timeoutMs,
    mostBytes: 4 * 1024 * 1024,
  });
  if (answer.status !== 200) throw unbelievable("ccb", `an answer with status ${answer.status}`);
  return readAnswer(new TextDecoder("gb18030").decode(answer.body), code, requestNo);
}

let lastRequest = Date.now() * 1000;
/** At most 16 digits, never the same twice in a process; the time makes it new after a restart. */
const makeRequestNo = (): string => String(++lastRequest).slice(-16);

function writeRequest(
  { merchantId, user, password }: CcbClient,
  code: string,
  requestNo: string,
  info: Readonly<Record<string, string>>,
): string {
  const head = {
    REQUEST_SN: requestNo,
    CUST_ID: merchantId,
    USER_ID: user,
    PASSWORD: password,
    TX_CODE: code,
    LANGUAGE: "CN",
  };
  return `<?xml version="1.0" encoding="GB2312" standalone="yes" ?><TX>${writeElements(head)}<TX_INFO>${writeElements(info)}</TX_INFO></TX>`;
}

const writeElements = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `<${name}>${value.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</${name}>`)
    .join("");

function readAnswer(xml: string, code: string, requestNo: string): CcbAnswer {
  if (!/<\/TX>\s*$/.test(xml)) throw unbelievable("ccb", "half an answer, or none of the protocol");
  const value = readElement(xml);
  const result = value("RETURN_CODE");
  const answered = value("TX_CODE") || (nothingFound.has(result) ? code : "");
  if (value("REQUEST_SN") !== requestNo || answered !== code)
    throw unbelievable("ccb", "the answer to another question");
  if (nothingFound.has(result)) return { value, list: [] };
  if (result !== done) throw toFailure(result);
  return { value, list: [...xml.matchAll(/<LIST>(.*?)<\/LIST>/gs)].map(([, content = ""]) => readElement(content)) };
}

function toFailure(code: string): GatewayError {
  if (!/^[0-9A-Z]{6,12}$/.test(code)) return unbelievable("ccb", "an answer that is not of the protocol");
  return new GatewayError("ccb", open.has(code) ? "unknown" : "refused", "it said no", code);
}

/** The content of the first element of a name; "" where it is empty or missing. None has attributes or children. */
const readElement =
  (xml: string): CcbRecord =>
  (name) => {
    const start = xml.indexOf(`<${name}>`);
    const end = xml.indexOf(`</${name}>`, start);
    return start === -1 || end === -1 ? "" : xml.slice(start + name.length + 2, end).trim();
  };

// CCB's page takes an order with an MD5 over its fields and the end of the counter's public key, which does not travel
// along; its notices are signed with the key that belongs to it.

const secretDigits = 30;

/** @param fields in the order of the bank's document: it is part of what is signed */
export function sealForm(fields: Readonly<Record<string, string>>, publicKeyHex: string): string {
  const entries = Object.entries(fields);
  const place = entries.findIndex(([name]) => name === "TYPE") + 1;
  entries.splice(place, 0, ["PUB", publicKeyHex.slice(-secretDigits)]);
  return createHash("md5").update(joinFields(entries)).digest("hex");
}

const joinFields = (entries: readonly (readonly [string, string])[]): string =>
  entries.map(([name, value]) => `${name}=${value}`).join("&");

/**
 * The fields of a notice whose SIGN covers all before it, undefined when it does not. What is signed are the decoded
 * values, so one with `&` or `=` in it, or a name that comes twice, could be read in two ways: such are none.
 */
export function readSignedFields(body: string, key: KeyObject): ReadonlyMap<string, string> | undefined {
  const entries = body.split("&").map((pair) => pair.split("=").map(decodeBytes) as [string, string?, ...string[]]);
  const [last, signature = ""] = entries.pop() ?? [];
  const isPlain = entries.every((pair) => pair.length === 2 && !/[&=]/.test(pair.join("")));
  const fields = new Map(entries.map(([name, value = ""]) => [name, value]));
  if (last !== "SIGN" || !/^[0-9a-f]+$/i.test(signature) || !isPlain || fields.size !== entries.length)
    return undefined;
  const signed = Buffer.from(joinFields([...fields]), "latin1");
  return verify("md5", signed, key, Buffer.from(signature, "hex")) ? fields : undefined;
}

/** Remarks are in GBK, which is not read here: a character for each byte. */
const decodeBytes = (text: string): string =>
  text
    .replaceAll("+", " ")
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
