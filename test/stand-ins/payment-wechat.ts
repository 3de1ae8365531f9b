import { createHash, createVerify, verify } from "node:crypto";
import type { PayAnswer } from "#services/tuition-payment/gateways/gateway.ts";
import { openCertificates, type SigningCertificate } from "#test/certificate.ts";
import type { PaymentStandIn, PaymentStandInOptions } from "./payment.ts";
import {
  type BookedOrder,
  type BookedRefund,
  openPaymentBooks,
  type PaymentBooks,
  requireBooked,
} from "./payment-books.ts";
import {
  apiKey,
  appId,
  mchId,
  seal,
  sealNotice,
  signMessage,
  toRefund,
  toRefundNotice,
  toTrade,
  toTradeNotice,
  type WeChatSigner,
} from "./payment-wechat-seal.ts";
import { writeWeChatBill } from "./payment-wechat-bill.ts";
import { type Forgery, openNoticeSender, type SentNotice } from "./payment-notices.ts";
import { type PaymentCall, type PaymentReply, startPaymentServer } from "./payment-server.ts";

// A stand-in for WeChat Pay, API v3. It verifies the merchant's signatures, and signs and encrypts its own messages.

const keyId = "PUB_KEY_ID_0119000001092026";
const merchantSerial = "4A5B6C7D8E9F0A1B2C3D";
const platformSerial = "5157F09EFDC096DE15EBE81A47057A72";
const mostSkewMs = 5 * 60_000;

export interface WeChatPayOptions extends PaymentStandInOptions {
  readonly mode?: "publicKey" | "certificates";
}

interface Party extends WeChatSigner {
  readonly merchant: SigningCertificate;
  readonly books: PaymentBooks;
  readonly prepared: Map<string, string>;
  readonly refundStates: WeChatPayStandIn["refundStates"];
  readonly sendRefund: (order: BookedOrder, refund: BookedRefund, url: string) => void;
  url: string;
}

type Said = { readonly status: number; readonly json?: object };

export interface WeChatPayStandIn extends PaymentStandIn {
  readonly makeRefundNotice: (refundNo: string, forgery?: Forgery) => SentNotice;
  readonly refundStates: Map<string, "PROCESSING" | "CLOSED" | "ABNORMAL">;
}

export async function startWeChatPay({
  now = Date.now,
  mode = "publicKey",
}: WeChatPayOptions = {}): Promise<WeChatPayStandIn> {
  let skewMs = 0;
  const clock = (): number => now() + skewMs;
  const [platform, merchant, stranger] = await openCertificates(platformSerial, merchantSerial, platformSerial);
  const books = openPaymentBooks(clock, "42000026");
  const notices = openNoticeSender();
  const serial = mode === "publicKey" ? keyId : platformSerial;
  const makeRefundNotice = (refundNo: string, forgery?: Forgery): SentNotice => {
    const found = books.findRefund(refundNo);
    if (!found) throw new Error(`${refundNo} is unknown`);
    const content = toRefundNotice(found.order, found.refund, forgery);
    return sealNotice(party, "REFUND.SUCCESS", "refund", content, forgery);
  };
  const sendRefund = ({ orderNo }: BookedOrder, { refundNo }: BookedRefund, url: string): void =>
    notices.send(orderNo, url, (forgery) => makeRefundNotice(refundNo, forgery));
  const party: Party = {
    platform,
    merchant,
    stranger,
    serial,
    books,
    now: clock,
    prepared: new Map(),
    refundStates: new Map(),
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
      toTradeNotice(requireBooked(books, orderNo), forgery),
      forgery,
    );
  return {
    ...server,
    books,
    notices,
    forgeries: [
      "signature",
      "serial",
      "stale",
      "merchant",
      "currency",
      "altered",
      "amount",
      "tradeNo",
      "seal",
      "associated",
      "nonce",
      "missing",
    ],
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
      if (answered.kind === "native" || answered.kind === "h5") return visitOther(party, answered);
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
    makeRefundNotice,
    refundStates: party.refundStates,
    refundCall: /domestic\/refunds \{/,
    billCall: /billdownload/,
    shiftClock: (ms) => void (skewMs = ms),
  };
}

function visitOther({ prepared }: Party, answered: Extract<PayAnswer, { kind: "native" | "h5" }>): void {
  const named =
    answered.kind === "native"
      ? /^weixin:\/\/wxpay\/bizpayurl\?pr=(\w+)$/.exec(answered.qr)?.[1]
      : new URL(answered.url).searchParams.get("prepay_id");
  if (named === null || named === undefined || !prepared.has(named)) throw new Error("nothing was prepared");
}

function answer(party: Party, call: PaymentCall): PaymentReply {
  if (call.path === "/cgi-bin/mmpayweb-bin/checkmweb") return openApp(call);
  if (call.path.startsWith("/v3/billdownload/"))
    return isAuthorized(party, call)
      ? { status: 200, headers: {}, body: writeBill(party, call.query.get("token") ?? "") }
      : { status: 401, headers: {}, body: Buffer.alloc(0) };
  const { status, json } = isAuthorized(party, call) ? route(party, call) : refuse(401, "SIGN_ERROR");
  const body = Buffer.from(json ? JSON.stringify(json) : "");
  const headers = { "content-type": "application/json; charset=utf-8", ...signMessage(party, body) };
  return { status, headers, body };
}

/** WeChat's page that opens the app requires a Referer header. */
function openApp({ headers }: PaymentCall): PaymentReply {
  const status = headers.referer === undefined ? 403 : 200;
  return { status, headers: { "content-type": "text/html" }, body: Buffer.from("WeChat's page") };
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
  const json = (body.length > 0 ? JSON.parse(body.toString()) : {}) as PrepayBody & RefundBody;
  const [, orderNo, action] = /^\/v3\/pay\/transactions\/out-trade-no\/(\w+)(\/close)?$/.exec(path) ?? [];
  if (path === "/v3/certificates") return listCertificates(party);
  const [, kind] = /^\/v3\/pay\/transactions\/(jsapi|h5|native)$/.exec(path) ?? [];
  if (kind !== undefined) return prepare(party, kind, json);
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
  readonly payer?: { readonly openid: string };
  readonly scene_info?: { readonly payer_client_ip: string; readonly h5_info: { readonly type: string } };
}

function hasPayer(kind: string, { payer, scene_info: scene }: PrepayBody): boolean {
  if (kind === "jsapi") return (payer?.openid ?? "") !== "";
  return kind === "native" || ((scene?.payer_client_ip ?? "") !== "" && scene?.h5_info.type === "Wap");
}

function prepare({ books, prepared, now, url }: Party, kind: string, body: PrepayBody): Said {
  const expiresAtMs = Date.parse(body.time_expire);
  const isWhole = Number.isInteger(body.amount.total) && body.amount.total > 0 && body.amount.currency === "CNY";
  const isMine = body.appid === appId && body.mchid === mchId && hasPayer(kind, body);
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
  if (kind === "jsapi") return { status: 200, json: { prepay_id: prepayId } };
  if (kind === "native") return { status: 200, json: { code_url: `weixin://wxpay/bizpayurl?pr=${prepayId}` } };
  return { status: 200, json: { h5_url: `${url}/cgi-bin/mmpayweb-bin/checkmweb?prepay_id=${prepayId}&package=1` } };
}

function showTrade({ books }: Party, orderNo: string): Said {
  const order = books.orders.get(orderNo);
  return order ? { status: 200, json: toTrade(order) } : refuse(404, "ORDER_NOT_EXIST");
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
  if (typeof done === "string") {
    const [status, code] = refundCodes[done];
    return refuse(status, code);
  }
  if (order && isNew) party.sendRefund(order, done, url);
  return { status: 200, json: { ...toRefund(orderNo, done), status: isNew ? "PROCESSING" : "SUCCESS" } };
}

function showRefund({ books, refundStates }: Party, refundNo: string): Said {
  const found = books.findRefund(refundNo);
  if (!found) return refuse(404, "RESOURCE_NOT_EXISTS");
  return {
    status: 200,
    json: { ...toRefund(found.order.orderNo, found.refund), status: refundStates.get(refundNo) ?? "SUCCESS" },
  };
}

function showBill(party: Party, date: string): Said {
  if (party.books.listDay(date).length === 0) return refuse(400, "NO_STATEMENT_EXIST");
  const hash_value = createHash("sha1").update(writeBill(party, date)).digest("hex");
  const download_url = `${party.url}/v3/billdownload/file?token=${date}`;
  return { status: 200, json: { hash_type: "SHA1", hash_value, download_url } };
}

const writeBill = ({ books, refundStates }: Party, date: string): Buffer =>
  Buffer.from(writeWeChatBill(books.listDay(date), { appId, mchId, refundStates }));
