import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import * as z from "zod";
import { requireRsa } from "#platform/contract/private-key.ts";
import {
  commaList,
  outsideAddress,
  secretOf,
  type SettingGroup,
  unfoldPem,
  wholeNumber,
} from "#platform/contract/setting-types.ts";

// Setting all of a gateway's settings enables the gateway; setting only some of them prevents the start.

const matching = (pattern: RegExp, what: string, description: string) =>
  z
    .string()
    .regex(pattern, { error: `must be ${what}` })
    .optional()
    .describe(description);

const address = (standard: string, description: string) => outsideAddress.default(standard).describe(description);

export const readMerchantKey = (pem: string): KeyObject => requireRsa(createPrivateKey(unfoldPem(pem)), 2048);

export function readPlatformKey(pem: string): KeyObject {
  if (!pem.includes("PUBLIC KEY")) throw new Error("not a public key");
  return requireRsa(createPublicKey(unfoldPem(pem)), 2048);
}

/**
 * Accepts PEM or the base64 of a certificate file.
 * @throws unless the certificate has an RSA key
 */
export function readCertificateKey(text: string): KeyObject {
  const plain = unfoldPem(text);
  const certificate = new X509Certificate(plain.includes("-----") ? plain : Buffer.from(plain, "base64"));
  return requireRsa(certificate.publicKey, 1024);
}

/** The bank also issues keys that are slightly shorter than 1,024 bits. */
const leastCcbBits = 1016;

/** CCB's console shows the key as DER in hexadecimal. @throws unless it is an RSA key */
export const readHexKey = (hex: string): KeyObject =>
  requireRsa(createPublicKey({ key: Buffer.from(hex, "hex"), format: "der", type: "spki" }), leastCcbBits);

/**
 * Accepts PEM or the base64 line that Alipay's key tool writes.
 * @throws unless it is an RSA key
 */
export function readOwnAlipayKey(text: string): KeyObject {
  if (text.includes("-----")) return readMerchantKey(text);
  const key = Buffer.from(text, "base64");
  const read = (type: "pkcs8" | "pkcs1") => requireRsa(createPrivateKey({ key, format: "der", type }), 2048);
  try {
    return read("pkcs8");
  } catch {
    return read("pkcs1");
  }
}

/**
 * Accepts PEM or the base64 line that Alipay's console shows.
 * @throws unless it is an RSA key
 */
export const readAlipayKey = (text: string): KeyObject =>
  text.includes("-----")
    ? readPlatformKey(text)
    : requireRsa(createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" }), 2048);

const wechatKinds = ["jsapi", "h5", "native"] as const;
export type WeChatKind = (typeof wechatKinds)[number];

export const paymentShape = {
  PAY_CCB_MERCHANT_ID: matching(/^\d{15}$/, "15 digits", "Merchant number at CCB; enables this gateway"),
  PAY_CCB_POS_ID: matching(/^\d{9}$/, "9 digits", "Counter number at CCB"),
  PAY_CCB_BRANCH_ID: matching(/^\d{9}$/, "9 digits", "Branch number at CCB"),
  PAY_CCB_PUBLIC_KEY: secretOf(
    (hex) => /^[0-9a-f]{60,}$/i.test(hex) && readHexKey(hex),
    "the counter's public key in hexadecimal digits, as CCB's merchant console shows it",
    "Public key of the counter, in hexadecimal; its end is part of order signatures",
  ),
  PAY_CCB_PAGE_URL: address(
    "https://ibsbjstar.ccb.com.cn/CCBIS/ccbMain",
    "Address to which a payer's browser sends CCB's form",
  ),
  PAY_CCB_CLIENT_URL: outsideAddress
    .optional()
    .describe(
      "CCB's client for queries, refunds and statements; keep it in a closed network, because its answers are unsigned",
    ),
  PAY_CCB_USER: matching(/^[\w-]{1,32}$/, "1 to 32 letters or digits", "Operator of CCB's client"),
  PAY_CCB_PASSWORD: secretOf(
    (text) => text.length <= 64,
    "at most 64 characters",
    "Password of the operator of CCB's client",
  ),
  PAY_ABC_MERCHANT_ID: matching(/^\d{10,20}$/, "10 to 20 digits", "Merchant number at ABC; enables this gateway"),
  PAY_ABC_PRIVATE_KEY: secretOf(
    readMerchantKey,
    "the PEM of an RSA private key of 2048 bits or more",
    "Merchant's private key at ABC as PEM, from the .pfx",
  ),
  PAY_ABC_CERTIFICATE: secretOf(
    readCertificateKey,
    "ABC's certificate (TrustPay.cer), as PEM or base64",
    "ABC's certificate, which verifies its messages",
  ),
  PAY_ABC_BASE_URL: address("https://pay.abchina.com", "Base address of ABC's interface"),
  PAY_ABC_LEGACY_TLS: z
    .enum(["1"], { error: "must be 1 or left out" })
    .optional()
    .describe("1: allow ABC's hosts legacy TLS renegotiation, which OpenSSL otherwise refuses"),
  PAY_WECHAT_MCH_ID: matching(/^\d{8,10}$/, "8 to 10 digits", "Merchant number at WeChat Pay; enables this gateway"),
  PAY_WECHAT_APP_ID: matching(
    /^wx\w{1,30}$/,
    "an identifier that begins with wx",
    "Application that payments are made in",
  ),
  PAY_WECHAT_APP_SECRET: secretOf(
    (text) => /^[0-9a-f]{32}$/.test(text),
    "the secret of 32 hexadecimal digits",
    "Secret of the service account PAY_WECHAT_APP_ID, by which the page asks WeChat who pays; without it openId comes in the page's address",
  ),
  PAY_WECHAT_AUTHORIZE_URL: address(
    "https://open.weixin.qq.com/connect/oauth2/authorize",
    "Address at which WeChat is asked who pays",
  ),
  PAY_WECHAT_API_KEY: secretOf(
    (text) => Buffer.byteLength(text) === 32,
    "the APIv3 key of 32 bytes",
    "APIv3 key, which decrypts notices",
  ),
  PAY_WECHAT_PRIVATE_KEY: secretOf(
    readMerchantKey,
    "the PEM of an RSA private key of 2048 bits or more",
    "The merchant's key at WeChat Pay (apiclient_key.pem)",
  ),
  PAY_WECHAT_SERIAL: matching(
    /^[0-9A-F]{16,40}$/i,
    "16 to 40 hexadecimal digits",
    "Serial number of the merchant's certificate",
  ),
  PAY_WECHAT_PUBLIC_KEY: secretOf(
    readPlatformKey,
    "the PEM of an RSA public key of 2048 bits or more",
    "WeChat Pay's public key; without it platform certificates are fetched",
  ),
  PAY_WECHAT_PUBLIC_KEY_ID: matching(
    /^PUB_KEY_ID_\w{1,64}$/,
    "an identifier that begins with PUB_KEY_ID_",
    "Identifier of WeChat Pay's public key",
  ),
  PAY_WECHAT_KINDS: commaList
    .transform((kinds) => (kinds.length === 0 ? [...wechatKinds] : kinds))
    .refine((kinds) => kinds.every((kind) => wechatKinds.some((known) => known === kind)), {
      error: `must be some of ${wechatKinds.join(", ")}, separated by commas`,
    })
    .transform((kinds) => kinds as [WeChatKind, ...WeChatKind[]])
    .describe("The merchant's WeChat Pay products, the default first: jsapi, h5, native"),
  PAY_WECHAT_BASE_URL: address("https://api.mch.weixin.qq.com", "Base address of WeChat Pay"),
  PAY_ALIPAY_APP_ID: matching(/^\d{16}$/, "16 digits", "Application at Alipay; enables this gateway"),
  PAY_ALIPAY_SELLER_ID: matching(/^2088\d{12}$/, "16 digits that begin with 2088", "Merchant (PID) at Alipay"),
  PAY_ALIPAY_PRIVATE_KEY: secretOf(
    readOwnAlipayKey,
    "an RSA private key of 2048 bits or more, as PEM or base64",
    "The application's key at Alipay (RSA2), as PEM or base64",
  ),
  PAY_ALIPAY_PUBLIC_KEY: secretOf(
    readAlipayKey,
    "an RSA public key of 2048 bits or more, as PEM or base64",
    "Alipay's own public key, as its console shows it for the application",
  ),
  PAY_ALIPAY_BASE_URL: address("https://openapi.alipay.com/gateway.do", "Address of Alipay's interface"),
  PAY_SIMULATED: z
    .enum(["1"], { error: "must be 1 or left out" })
    .optional()
    .describe(
      "1: enable the simulated gateway beside others; without it only with the embedded database, a loopback HOST and no other gateway. Never in production",
    ),
  PAY_LIMIT_SECONDS: wholeNumber(10, 7200, 1800).describe("Seconds after which an unpaid order is closed"),
  PAY_REDIRECT_URL: z
    .string()
    .refine((text) => /^(?:\/(?![/\\])|https?:\/\/)[^\s\\]*$/i.test(text), {
      error: "must be a path, or an http or https address",
    })
    .default("/")
    .describe("Where a payer's browser returns to by default"),
  PAY_REDIRECT_HOSTS: commaList
    .transform((hosts) => hosts.map((host) => host.toLowerCase()))
    .refine((hosts) => hosts.every((host) => /^[a-z0-9.-]+(?::\d{1,5})?$/.test(host)), {
      error: "must be hosts separated by commas, such as pay.example.edu,www.example.edu:8443",
    })
    .describe("Other hosts that a payer's browser may return to, separated by commas"),
  REFUND_APPROVAL: z
    .enum(["one", "two"], { error: "must be one or two" })
    .default("one")
    .describe("two: a requested refund starts once another super administrator approves it"),
  PAY_RECONCILE_TIME: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day as HH:mm" })
    .default("10:30")
    .describe("Time of the daily reconciliation of yesterday's statements, in Asia/Shanghai"),
  PAY_TIMEOUT_MS: wholeNumber(100, 60_000, 10_000).describe(
    "Time limit of one request to a payment gateway, in milliseconds",
  ),
};

/** Every gateway needs PUBLIC_URL for the addresses of notices and of returning payers. */
export const paymentGroups: readonly SettingGroup<keyof typeof paymentShape | "PUBLIC_URL">[] = [
  {
    all: [
      "PAY_CCB_MERCHANT_ID",
      "PAY_CCB_POS_ID",
      "PAY_CCB_BRANCH_ID",
      "PAY_CCB_PUBLIC_KEY",
      "PAY_CCB_CLIENT_URL",
      "PAY_CCB_USER",
      "PAY_CCB_PASSWORD",
    ],
    beside: ["PUBLIC_URL"],
  },
  { all: ["PAY_ABC_MERCHANT_ID", "PAY_ABC_PRIVATE_KEY", "PAY_ABC_CERTIFICATE"], beside: ["PUBLIC_URL"] },
  {
    all: [
      "PAY_WECHAT_MCH_ID",
      "PAY_WECHAT_APP_ID",
      "PAY_WECHAT_API_KEY",
      "PAY_WECHAT_PRIVATE_KEY",
      "PAY_WECHAT_SERIAL",
    ],
    beside: ["PUBLIC_URL"],
  },
  {
    all: ["PAY_ALIPAY_APP_ID", "PAY_ALIPAY_SELLER_ID", "PAY_ALIPAY_PRIVATE_KEY", "PAY_ALIPAY_PUBLIC_KEY"],
    beside: ["PUBLIC_URL"],
  },
  { all: ["PAY_WECHAT_APP_SECRET"], beside: ["PAY_WECHAT_MCH_ID", "PUBLIC_URL"] },
  { all: ["PAY_WECHAT_PUBLIC_KEY", "PAY_WECHAT_PUBLIC_KEY_ID"], beside: ["PAY_WECHAT_MCH_ID", "PUBLIC_URL"] },
];
