import { type KeyObject, sign, verify } from "node:crypto";
import * as z from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { joinUrl } from "#platform/outbound/request.ts";
import { exchange, toBankTime } from "./exchange.ts";
import { believe, GatewayError, unbelievable } from "./gateway.ts";

export interface AlipayMerchant {
  readonly appId: string;
  readonly sellerId: string;
  readonly merchantKey: KeyObject;
  readonly alipayKey: KeyObject;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

type Fields = Readonly<Record<string, string>>;

const joinFields = (fields: Fields): string =>
  Object.keys(fields)
    .toSorted()
    .map((name) => `${name}=${fields[name]}`)
    .join("&");

function signRequest({ appId, merchantKey, clock }: AlipayMerchant, method: string, content: object, more: Fields) {
  const fields = {
    app_id: appId,
    method,
    format: "JSON",
    charset: "utf-8",
    sign_type: "RSA2",
    timestamp: toBankTime(new Date(clock())),
    version: "1.0",
    ...more,
  };
  const biz_content = JSON.stringify(content);
  const signature = sign("sha256", Buffer.from(joinFields({ ...fields, biz_content })), merchantKey);
  return { fields: { ...fields, sign: signature.toString("base64") }, biz_content };
}

export function toPageUrl(merchant: AlipayMerchant, method: string, content: object, more: Fields): string {
  const { fields, biz_content } = signRequest(merchant, method, content, more);
  return joinUrl(merchant.baseUrl, "", { ...fields, biz_content }).href;
}

const done = "10000";
/** Alipay's code for business errors. Errors with other codes are transient or caused by the configuration. */
const refused = "40004";
const passing = new Set(["ACQ.SYSTEM_ERROR", "AOP.ACQ.SYSTEM_ERROR", "ACQ.SELLER_BALANCE_NOT_ENOUGH"]);

const answered = z.looseObject({ code: z.string().regex(/^\d{5}$/), sub_code: z.string().max(100).optional() });

/** @throws GatewayError "refused" for a business error that is not transient, and "unknown" for any other failure */
export async function callAlipay<T>(
  merchant: AlipayMerchant,
  method: string,
  content: object,
  read: (answer: unknown) => T,
): Promise<T> {
  const { fields, biz_content } = signRequest(merchant, method, content, {});
  const answer = await exchange({
    gateway: "alipay",
    url: joinUrl(merchant.baseUrl, "", fields),
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded;charset=utf-8" },
    body: new URLSearchParams({ biz_content }).toString(),
    timeoutMs: merchant.timeoutMs,
  });
  if (answer.status !== 200) throw unbelievable("alipay", `the response has the status ${answer.status}`);
  const said = readAnswer(answer.body, `${method.replaceAll(".", "_")}_response`, merchant.alipayKey);
  const { code, sub_code: detail = code } = believe("alipay", () => answered.parse(said));
  if (code === done) return believe("alipay", () => read(said));
  const isPassing = code !== refused || passing.has(detail.toUpperCase());
  throw new GatewayError("alipay", isPassing ? "unknown" : "refused", "the gateway rejected the request", detail);
}

// A response is a JSON object with the signature and the signed content, in either order, and sometimes the serial
// number of a certificate. The signature covers the exact text of the content.

const part = '"(?<name>\\w+)":(?<text>\\{.*\\})(?:,"alipay_cert_sn":"\\w+")?';
const signature = '"sign":"(?<sign>[A-Za-z0-9+/=\\\\]+)"';
const forms = [`${part},${signature}`, `${signature},${part}`].map((form) => new RegExp(`^\\{${form}\\}\\s*$`, "s"));

function readAnswer(body: Buffer, name: string, key: KeyObject): unknown {
  const whole = body.toString("latin1");
  const parts = forms.map((form) => form.exec(whole)?.groups).find((found) => found !== undefined);
  const text = Buffer.from(parts?.["text"] ?? "", "latin1");
  const signed = Buffer.from((parts?.["sign"] ?? "").replaceAll("\\", ""), "base64");
  if (parts?.["name"] !== name || !verify("sha256", text, key, signed))
    throw unbelievable("alipay", "the response is incomplete or has an invalid signature");
  return believe("alipay", () => JSON.parse(text.toString()) as unknown);
}

/**
 * Returns undefined unless the signature is valid. Repeated names, and values with `&`, are refused since they would
 * make the signed text ambiguous.
 */
export function readSignedForm(body: Buffer, key: KeyObject): Fields | undefined {
  const entries = [...new URLSearchParams(body.toString())];
  const { sign: signed = "", sign_type: type, ...fields } = Object.fromEntries(entries) as Record<string, string>;
  const isPlain = entries.every(([name, value]) => /^\w+$/.test(name) && (name === "sign" || !value.includes("&")));
  const isOnce = new Set(entries.map(([name]) => name)).size === entries.length;
  const bytes = Buffer.from(signed, "base64");
  if (type !== "RSA2" || !isPlain || !isOnce || bytes.toString("base64") !== signed) return undefined;
  return verify("sha256", Buffer.from(joinFields(fields)), key, bytes) ? fields : undefined;
}
