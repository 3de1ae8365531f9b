import { createCipheriv, createHash, createVerify, randomBytes, sign, verify } from "node:crypto";
import { makeSigningCertificate, type SigningCertificate } from "#test/certificate.ts";
import type { PaymentStandIn, PaymentStandInOptions } from "./payment.ts";
import {
  beijingTime,
  type BookedOrder,
  type BookedRefund,
  openPaymentBooks,
  type PaymentBooks,
} from "./payment-books.ts";
import { writeWeChatBill } from "./payment-wechat-bill.ts";
import { alterByte, type Forgery, forgeries, openNoticeSender, type SentNotice } from "./payment-notices.ts";
import { type PaymentCall, type PaymentReply, startPaymentServer } from "./payment-server.ts";

// A stand-in for WeChat Pay, API v3: it verifies what merchants sign, and signs and seals what it says.

const mchId = "1900000109";
const appId = "wxd678efh567hjc7ae";
const apiKey = "0123456789abcdefghijklmnopqrstuv";
const keyId = "PUB_KEY_ID_0119000001092026";
const merchantSerial = "4A5B6C7D8E9F0A1B2C3D";
const platformSerial = "5157F09EFDC096DE15EBE81A47057A72";
const mostSkewMs = 5 * 60_000;

export interface WeChatPayOptions extends PaymentStandInOptions {
  /** How the merchant knows the platform. */
  readonly mode?: "publicKey" | "certificates";
}

interface Party {
  readonly platform: SigningCertificate;
  readonly merchant: SigningCertificate;
  readonly stranger: SigningCertificate;
  readonly serial: string;
  readonly books: PaymentBooks;
  readonly now: () => number;
  readonly prepared: Map<string, string>;
  readonly sendRefund: (order: BookedOrder, refund: BookedRefund, url: string) => void;
  url: string;
}

type Said = { readonly status: number; readonly json?: object };

export async function startWeChatPay({
  now = Date.now,
  mode = "publicKey",
}: WeChatPayOptions = {}): Promise<PaymentStandIn> {
  let skewMs = 0;
  const clock = (): number => now() + skewMs;
  const [platform, merchant, stranger] = (await Promise.all(
    [platformSerial, merchantSerial, platformSerial].map(makeSigningCertificate),
  )) as [SigningCertificate, SigningCertificate, SigningCertificate];
  const books = openPaymentBooks(clock, "42000026");
  const notices = openNoticeSender();
  const serial = mode === "publicKey" ? keyId : platformSerial;
  const sendRefund = (order: BookedOrder, refund: BookedRefund, url: string): void =>
    notices.send(order.orderNo, url, (forgery) =>
      sealNotice(party, "REFUND.SUCCESS", "refund", toRefundNotice(order, refund, forgery), forgery),
    );
  const party: Party = {
    platform,
    merchant,
    stranger,
    serial,
    books,
    now: clock,
    prepared: new Map(),
    sendRefund,
    url: "",
  };
  const server = await startPaymentServer((call) => answer(party, call));
  party.url = server.url;
  const makeNotice = (orderNo: string, forgery?: Forgery): SentNotice =>
    sealNotice(
      party,
      "TRANSACTION.SUCCESS",
      "transaction",
      toTradeNotice(requireOrder(books, orderNo), forgery),
      forgery,
    );
  return {
    ...server,
    books,
    notices,
    forgeries,
    settings: {
      PAY_WECHAT_MCH_ID: mchId,
      PAY_WECHAT_APP_ID: appId,
      PAY_WECHAT_API_KEY: apiKey,
      PAY_WECHAT_PRIVATE_KEY: merchant.privateKey.export({ type: "pkcs8", format: "pem" }),
      PAY_WECHAT_SERIAL: merchantSerial,
      PAY_WECHAT_BASE_URL: server.url,
      ...(mode === "publicKey"
        ? {
            PAY_WECHAT_PUBLIC_KEY: platform.publicKey.export({ type: "spki", format: "pem" }),
            PAY_WECHAT_PUBLIC_KEY_ID: keyId,
          }
        : {}),
    },
    async visit(answered) {
      if (answered.kind !== "jsapi") throw new Error("not for the messaging platform");
      const { paySign, ...signed } = answered.jsapi;
      const lines = [signed.appId, signed.timeStamp, signed.nonceStr, signed.package, ""].join("\n");
      if (!verify("sha256", Buffer.from(lines), merchant.publicKey, Buffer.from(paySign, "base64")))
        throw new Error("paySign");
      if (signed.signType !== "RSA" || !party.prepared.has(signed.package.slice("prepay_id=".length)))
        throw new Error("package");
    },
    pay(orderNo, amountFen) {
      const order = books.pay(orderNo, amountFen);
      notices.send(orderNo, order.notifyUrl, (forgery) => makeNotice(orderNo, forgery));
    },
    makeNotice,
    shiftClock: (ms) => void (skewMs = ms),
  };
}

function requireOrder({ orders }: PaymentBooks, orderNo: string): BookedOrder {
  const order = orders.get(orderNo);
  if (!order) throw new Error(`${orderNo} is unknown`);
  return order;
}

// What it answers.

function answer(party: Party, call: PaymentCall): PaymentReply {
  if (call.path.startsWith("/v3/billdownload/"))
    return isAuthorized(party, call)
      ? { status: 200, headers: {}, body: writeBill(party, call.query.get("token") ?? "") }
      : { status: 401, headers: {}, body: Buffer.alloc(0) };
  const { status, json } = isAuthorized(party, call) ? route(party, call) : refuse(401, "SIGN_ERROR");
  const body = Buffer.from(json ? JSON.stringify(json) : "");
  const headers = { "content-type": "application/json; charset=utf-8", ...signMessage(party, body) };
  return { status, headers, body };
}

const refuse = (status: number, code: string): Said => ({ status, json: { code, message: "refused" } });

function isAuthorized({ merchant, now }: Party, { method, target, headers, body }: PaymentCall): boolean {
  const [scheme, list = ""] = (headers.authorization ?? "").split(" ");
  const part = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(list)?.[1] ?? "";
  const timestamp = part("timestamp");
  if (scheme !== "WECHATPAY2-SHA256-RSA2048" || part("mchid") !== mchId || part("serial_no") !== merchantSerial)
    return false;
  if (Math.abs(Number(timestamp) * 1000 - now()) > mostSkewMs) return false;
  const signed = createVerify("sha256")
    .update(`${method}\n${target}\n${timestamp}\n${part("nonce_str")}\n`)
    .update(body)
    .update("\n");
  return signed.verify(merchant.publicKey, part("signature"), "base64");
}

function route(party: Party, { method, path, query, body }: PaymentCall): Said {
  const json = (body.length > 0 ? JSON.parse(body.toString()) : {}) as Record<string, never>;
  const [, orderNo, action] = /^\/v3\/pay\/transactions\/out-trade-no\/(\w+)(\/close)?$/.exec(path) ?? [];
  if (path === "/v3/certificates") return listCertificates(party);
  if (path === "/v3/pay/transactions/jsapi") return prepare(party, json);
  if (orderNo && action && method === "POST") return closeOrder(party, orderNo);
  if (orderNo) return query.get("mchid") === mchId ? showTrade(party, orderNo) : refuse(400, "PARAM_ERROR");
  if (path === "/v3/refund/domestic/refunds") return refund(party, json);
  if (path.startsWith("/v3/refund/domestic/refunds/"))
    return showRefund(party, path.slice("/v3/refund/domestic/refunds/".length));
  if (path === "/v3/bill/tradebill") return showBill(party, query.get("bill_date") ?? "");
  return refuse(404, "RESOURCE_NOT_EXISTS");
}

function listCertificates({ platform, serial }: Party): Said {
  if (serial !== platformSerial) return refuse(404, "RESOURCE_NOT_EXISTS");
  const encrypt_certificate = { algorithm: "AEAD_AES_256_GCM", ...seal(platform.cert, "certificate") };
  return { status: 200, json: { data: [{ serial_no: platformSerial, encrypt_certificate }] } };
}

interface PrepayBody {
  readonly appid: string;
  readonly mchid: string;
  readonly description: string;
  readonly out_trade_no: string;
  readonly time_expire: string;
  readonly notify_url: string;
  readonly amount: { readonly total: number; readonly currency: string };
  readonly payer: { readonly openid: string };
}

function prepare({ books, prepared, now }: Party, body: PrepayBody): Said {
  const expiresAtMs = Date.parse(body.time_expire);
  const isWhole = Number.isInteger(body.amount.total) && body.amount.total > 0 && body.amount.currency === "CNY";
  const isMine = body.appid === appId && body.mchid === mchId && body.payer.openid !== "";
  if (!isWhole || !isMine || body.description === "" || [...body.description].length > 127)
    return refuse(400, "PARAM_ERROR");
  if (!(expiresAtMs >= now() + 60_000) || body.notify_url.includes("?")) return refuse(400, "PARAM_ERROR");
  const order = { orderNo: body.out_trade_no, amountFen: body.amount.total, expiresAtMs, notifyUrl: body.notify_url };
  if (!books.open(order)) {
    const state = books.orders.get(order.orderNo)?.state;
    return refuse(400, state === "paid" ? "ORDERPAID" : state === "closed" ? "ORDER_CLOSED" : "INVALID_REQUEST");
  }
  const prepayId = `wx${order.orderNo}`;
  prepared.set(prepayId, order.orderNo);
  return { status: 200, json: { prepay_id: prepayId } };
}

function showTrade({ books }: Party, orderNo: string): Said {
  const order = books.orders.get(orderNo);
  return order ? { status: 200, json: toTrade(order) } : refuse(404, "ORDER_NOT_EXIST");
}

const iso = (ms: number): string => `${beijingTime(ms).replace(" ", "T")}+08:00`;

function toTrade(order: BookedOrder): Record<string, unknown> {
  const states = { pending: "NOTPAY", closed: "CLOSED", paid: order.refunds.size > 0 ? "REFUND" : "SUCCESS" } as const;
  const trade = { appid: appId, mchid: mchId, out_trade_no: order.orderNo, trade_state: states[order.state] };
  if (order.state !== "paid") return trade;
  const amount = { total: order.paidFen, payer_total: order.paidFen, currency: "CNY" };
  return { ...trade, transaction_id: order.tradeNo, success_time: iso(order.paidAtMs), amount };
}

function closeOrder({ books }: Party, orderNo: string): Said {
  const order = books.orders.get(orderNo);
  if (!order) return refuse(404, "ORDER_NOT_EXIST");
  if (order.state === "paid") return refuse(400, "ORDER_PAID");
  order.state = "closed";
  return { status: 204 };
}

interface RefundBody {
  readonly out_trade_no: string;
  readonly out_refund_no: string;
  readonly notify_url: string;
  readonly amount: { readonly refund: number; readonly total: number };
}

const refundCodes = {
  "no such order": [404, "RESOURCE_NOT_EXISTS"],
  "not paid": [400, "INVALID_REQUEST"],
  "too much": [400, "PARAM_ERROR"],
  "another amount": [400, "PARAM_ERROR"],
} as const;

function refund(
  party: Party,
  { out_trade_no: orderNo, out_refund_no: refundNo, notify_url: url, amount }: RefundBody,
): Said {
  const order = party.books.orders.get(orderNo);
  if (order && order.paidFen !== amount.total) return refuse(400, "PARAM_ERROR");
  const isNew = !order?.refunds.has(refundNo);
  const done = party.books.refund(orderNo, refundNo, amount.refund);
  if (typeof done === "string") return refuse(...refundCodes[done]);
  if (order && isNew) party.sendRefund(order, done, url);
  return { status: 200, json: { ...toRefund(orderNo, done), status: isNew ? "PROCESSING" : "SUCCESS" } };
}

const toRefund = (orderNo: string, refund: BookedRefund) => ({
  refund_id: refund.refundTradeNo,
  out_refund_no: refund.refundNo,
  out_trade_no: orderNo,
  success_time: iso(refund.atMs),
  amount: { refund: refund.amountFen, currency: "CNY" },
});

function showRefund({ books }: Party, refundNo: string): Said {
  for (const order of books.orders.values()) {
    const refund = order.refunds.get(refundNo);
    if (refund) return { status: 200, json: { ...toRefund(order.orderNo, refund), status: "SUCCESS" } };
  }
  return refuse(404, "RESOURCE_NOT_EXISTS");
}

function showBill(party: Party, date: string): Said {
  if (party.books.listDay(date).length === 0) return refuse(400, "NO_STATEMENT_EXIST");
  const hash_value = createHash("sha1").update(writeBill(party, date)).digest("hex");
  const download_url = `${party.url}/v3/billdownload/file?token=${date}`;
  return { status: 200, json: { hash_type: "SHA1", hash_value, download_url } };
}

const writeBill = ({ books }: Party, date: string): Buffer =>
  Buffer.from(writeWeChatBill(books.listDay(date), { appId, mchId }));

// What it signs and seals.

function signMessage({ platform, serial, now }: Party, body: Buffer, { key = platform.privateKey, atMs = now() } = {}) {
  const timestamp = String(Math.floor(atMs / 1000));
  const nonce = randomBytes(16).toString("hex");
  const signature = sign(
    "sha256",
    Buffer.concat([Buffer.from(`${timestamp}\n${nonce}\n`), body, Buffer.from("\n")]),
    key,
  );
  return {
    "wechatpay-serial": serial,
    "wechatpay-timestamp": timestamp,
    "wechatpay-nonce": nonce,
    "wechatpay-signature": signature.toString("base64"),
  };
}

function seal(text: string, associated: string, key = apiKey) {
  const nonce = randomBytes(6).toString("hex");
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(associated));
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64");
  return { ciphertext, nonce, associated_data: associated };
}

const asOthers = (forgery: Forgery | undefined) => (forgery === "merchant" ? { mchid: "1900000999" } : {});
const toTradeNotice = (order: BookedOrder, forgery: Forgery | undefined) => ({
  ...toTrade(order),
  ...asOthers(forgery),
});

function toRefundNotice(order: BookedOrder, refund: BookedRefund, forgery: Forgery | undefined) {
  const amount = { total: order.paidFen, refund: refund.amountFen, payer_refund: refund.amountFen };
  return {
    ...toRefund(order.orderNo, refund),
    mchid: mchId,
    transaction_id: order.tradeNo,
    refund_status: "SUCCESS",
    amount,
    ...asOthers(forgery),
  };
}

function sealNotice(party: Party, event: string, type: string, content: object, forgery?: Forgery): SentNotice {
  const sealed = seal(JSON.stringify(content), type, forgery === "seal" ? [...apiKey].toReversed().join("") : apiKey);
  const resource = {
    original_type: type,
    algorithm: "AEAD_AES_256_GCM",
    ...sealed,
    ...(forgery === "associated" ? { associated_data: "certificate" } : {}),
    ...(forgery === "nonce" ? { nonce: "0123456789ab" } : {}),
  };
  const notice = {
    id: randomBytes(16).toString("hex"),
    create_time: iso(party.now()),
    event_type: event,
    resource_type: "encrypt-resource",
    summary: "",
    resource,
  };
  const body = Buffer.from(JSON.stringify(notice));
  const key = forgery === "signature" ? party.stranger.privateKey : party.platform.privateKey;
  const signed = signMessage(party, body, { key, atMs: party.now() - (forgery === "stale" ? 3_600_000 : 0) });
  const headers = {
    "content-type": "application/json",
    ...(forgery === "missing" ? {} : signed),
    ...(forgery === "serial" ? { "wechatpay-serial": "6268F09EFDC096DE15EBE81A47057A72" } : {}),
  };
  return { headers, body: spoil(body, content, forgery) };
}

/** What a forger without keys can do: turn a bit, or put in a resource of its own making. */
function spoil(body: Buffer, content: object, forgery: Forgery | undefined): Buffer {
  if (forgery === "altered") return alterByte(body);
  if (forgery !== "amount") return body;
  const notice = JSON.parse(body.toString()) as { resource: object };
  const more = JSON.stringify({ ...content, amount: { total: 1, currency: "CNY" } });
  return Buffer.from(JSON.stringify({ ...notice, resource: { ...notice.resource, ...seal(more, "transaction") } }));
}
