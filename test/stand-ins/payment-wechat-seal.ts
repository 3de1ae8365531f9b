import { createCipheriv, randomBytes, sign } from "node:crypto";
import type { SigningCertificate } from "#test/certificate.ts";
import { beijingTime, type BookedOrder, type BookedRefund } from "./payment-books.ts";
import { alterByte, type Forgery, type SentNotice } from "./payment-notices.ts";

export const mchId = "1900000109";
export const appId = "wxd678efh567hjc7ae";
export const apiKey = "0123456789abcdefghijklmnopqrstuv";

export interface WeChatSigner {
  readonly platform: SigningCertificate;
  readonly stranger: SigningCertificate;
  readonly serial: string;
  readonly now: () => number;
}

const iso = (ms: number): string => `${beijingTime(ms).replace(" ", "T")}+08:00`;

export function toTrade(order: BookedOrder): Record<string, unknown> {
  const states = { pending: "NOTPAY", closed: "CLOSED", paid: order.refunds.size > 0 ? "REFUND" : "SUCCESS" } as const;
  const trade = { appid: appId, mchid: mchId, out_trade_no: order.orderNo, trade_state: states[order.state] };
  if (order.state !== "paid") return trade;
  const amount = { total: order.paidFen, payer_total: order.paidFen, currency: "CNY" };
  return { ...trade, transaction_id: order.tradeNo, success_time: iso(order.paidAtMs), amount };
}

export const toRefund = (orderNo: string, refund: BookedRefund) => ({
  refund_id: refund.refundTradeNo,
  out_refund_no: refund.refundNo,
  out_trade_no: orderNo,
  success_time: iso(refund.atMs),
  amount: { refund: refund.amountFen, currency: "CNY" },
});

export function signMessage(
  { platform, serial, now }: WeChatSigner,
  body: Buffer,
  { key = platform.privateKey, atMs = now() } = {},
) {
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

export function seal(text: string, associated: string, key = apiKey) {
  const nonce = randomBytes(6).toString("hex");
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(associated));
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString("base64");
  return { ciphertext, nonce, associated_data: associated };
}

const asOthers = (forgery: Forgery | undefined, { amount }: { readonly amount: object }) => ({
  ...(forgery === "merchant" ? { mchid: "1900000999" } : {}),
  ...(forgery === "currency" ? { amount: { ...amount, currency: "USD" } } : {}),
});
export function toTradeNotice(order: BookedOrder, forgery: Forgery | undefined) {
  const amount = { total: order.paidFen, payer_total: order.paidFen, currency: "CNY" };
  return { ...toTrade(order), ...asOthers(forgery, { amount }) };
}

export function toRefundNotice(order: BookedOrder, refund: BookedRefund, forgery: Forgery | undefined) {
  const amount = { total: order.paidFen, refund: refund.amountFen, payer_refund: refund.amountFen };
  return {
    ...toRefund(order.orderNo, refund),
    mchid: mchId,
    transaction_id: order.tradeNo,
    refund_status: "SUCCESS",
    amount,
    ...asOthers(forgery, { amount }),
  };
}

export function sealNotice(
  party: WeChatSigner,
  event: string,
  type: string,
  content: object,
  forgery?: Forgery,
): SentNotice {
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

/** Changes a notification after signing: flips a bit, or replaces the resource by correctly encrypted false content. */
function spoil(body: Buffer, content: object, forgery: Forgery | undefined): Buffer {
  if (forgery === "altered") return alterByte(body);
  if (forgery !== "amount" && forgery !== "tradeNo") return body;
  const notice = JSON.parse(body.toString()) as { resource: object };
  const changed = forgery === "amount" ? { amount: { total: 1, currency: "CNY" } } : { transaction_id: "4200000000" };
  const more = JSON.stringify({ ...content, ...changed });
  return Buffer.from(JSON.stringify({ ...notice, resource: { ...notice.resource, ...seal(more, "transaction") } }));
}
