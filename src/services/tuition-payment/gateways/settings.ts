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

// A gateway is enabled if all settings of its group in `paymentGroups` are set. If only some of them are set, the
// server does not start.

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
 * @throws unless the certificate has an RSA key of at least 1,024 bits
 */
export function readCertificateKey(text: string): KeyObject {
  const plain = unfoldPem(text);
  const certificate = new X509Certificate(plain.includes("-----") ? plain : Buffer.from(plain, "base64"));
  return requireRsa(certificate.publicKey, 1024);
}

/** The bank also issues keys that are slightly shorter than 1,024 bits. */
const leastCcbBits = 1016;

/** CCB's console shows the key as DER in hexadecimal. @throws unless it is an RSA key of at least 1,016 bits */
export const readHexKey = (hex: string): KeyObject =>
  requireRsa(createPublicKey({ key: Buffer.from(hex, "hex"), format: "der", type: "spki" }), leastCcbBits);

/**
 * Accepts PEM or the base64 line that Alipay's key tool writes.
 * @throws unless it is an RSA key of at least 2,048 bits
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
 * @throws unless it is an RSA key of at least 2,048 bits
 */
export const readAlipayKey = (text: string): KeyObject =>
  text.includes("-----")
    ? readPlatformKey(text)
    : requireRsa(createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" }), 2048);

const wechatKinds = ["jsapi", "h5", "native"] as const;
export type WeChatKind = (typeof wechatKinds)[number];

export const paymentShape = {
  PAY_CCB_MERCHANT_ID: matching(/^\d{15}$/, "15 digits", "Merchant number at CCB; enables this gateway"),
  PAY_CCB_POS_ID: matching(/^\d{9}$/, "9 digits", "Counter number (POSID) at CCB"),
  PAY_CCB_BRANCH_ID: matching(/^\d{9}$/, "9 digits", "Branch number at CCB"),
  PAY_CCB_PUBLIC_KEY: secretOf(
    (hex) => /^[0-9a-f]{60,}$/i.test(hex) && readHexKey(hex),
    "the counter's public key in hexadecimal digits, as CCB's merchant console shows it",
    "Public key of the counter in hexadecimal; its last digits are part of order signatures",
  ),
  PAY_CCB_PAGE_URL: address(
    "https://ibsbjstar.ccb.com.cn/CCBIS/ccbMain",
    "Address to which a payer's browser sends CCB's form",
  ),
  PAY_CCB_CLIENT_URL: outsideAddress
    .optional()
    .describe(
      "Address of CCB's client program for queries, refunds and statements; keep it in a closed network, since its responses are not signed",
    ),
  PAY_CCB_USER: matching(
    /^[\w-]{1,32}$/,
    "1 to 32 letters, digits, hyphens or underscores",
    "User name of the operator in CCB's client program",
  ),
  PAY_CCB_PASSWORD: secretOf(
    (text) => text.length <= 64,
    "at most 64 characters",
    "Password of the operator in CCB's client program",
  ),
  PAY_ABC_MERCHANT_ID: matching(/^\d{10,20}$/, "10 to 20 digits", "Merchant number at ABC; enables this gateway"),
  PAY_ABC_PRIVATE_KEY: secretOf(
    readMerchantKey,
    "the PEM of an RSA private key of at least 2048 bits",
    "Private key of the merchant at ABC as PEM, extracted from the .pfx file",
  ),
  PAY_ABC_CERTIFICATE: secretOf(
    readCertificateKey,
    "ABC's certificate (TrustPay.cer), as PEM or base64",
    "ABC's certificate, with which its messages are verified",
  ),
  PAY_ABC_BASE_URL: address("https://pay.abchina.com", "Base address of the ABC API"),
  PAY_ABC_LEGACY_TLS: z
    .enum(["1"], { error: "must be 1 or not set" })
    .optional()
    .describe("1: allow legacy TLS renegotiation with ABC's hosts, which OpenSSL refuses by default"),
  PAY_WECHAT_MCH_ID: matching(/^\d{8,10}$/, "8 to 10 digits", "Merchant number at WeChat Pay; enables this gateway"),
  PAY_WECHAT_APP_ID: matching(
    /^wx\w{1,30}$/,
    "an identifier that begins with wx",
    "AppID of the WeChat application in which payments are made",
  ),
  PAY_WECHAT_APP_SECRET: secretOf(
    (text) => /^[0-9a-f]{32}$/.test(text),
    "the secret of 32 hexadecimal digits in lower case",
    "AppSecret of the service account PAY_WECHAT_APP_ID, with which the payment page obtains the payer's openid; if not set, the openid must be in the page's address",
  ),
  PAY_WECHAT_AUTHORIZE_URL: address(
    "https://open.weixin.qq.com/connect/oauth2/authorize",
    "Address of WeChat's authorisation page, which identifies the payer",
  ),
  PAY_WECHAT_API_KEY: secretOf(
    (text) => Buffer.byteLength(text) === 32,
    "the APIv3 key of 32 bytes",
    "APIv3 key of WeChat Pay, with which notices are decrypted",
  ),
  PAY_WECHAT_PRIVATE_KEY: secretOf(
    readMerchantKey,
    "the PEM of an RSA private key of at least 2048 bits",
    "Private key of the merchant at WeChat Pay (apiclient_key.pem)",
  ),
  PAY_WECHAT_SERIAL: matching(
    /^[0-9A-F]{16,40}$/i,
    "16 to 40 hexadecimal digits",
    "Serial number of the merchant's certificate at WeChat Pay",
  ),
  PAY_WECHAT_PUBLIC_KEY: secretOf(
    readPlatformKey,
    "the PEM of an RSA public key of at least 2048 bits",
    "Public key of WeChat Pay; if not set, platform certificates are downloaded instead",
  ),
  PAY_WECHAT_PUBLIC_KEY_ID: matching(
    /^PUB_KEY_ID_\w{1,64}$/,
    "an identifier that begins with PUB_KEY_ID_",
    "Id of WeChat Pay's public key",
  ),
  PAY_WECHAT_KINDS: commaList
    .transform((kinds) => (kinds.length === 0 ? [...wechatKinds] : kinds))
    .refine((kinds) => kinds.every((kind) => wechatKinds.some((known) => known === kind)), {
      error: `must be one or more of ${wechatKinds.join(", ")}, separated by commas`,
    })
    .transform((kinds) => kinds as [WeChatKind, ...WeChatKind[]])
    .describe(
      "WeChat Pay products of the merchant (jsapi, h5, native), separated by commas; the first is used by default",
    ),
  PAY_WECHAT_BASE_URL: address("https://api.mch.weixin.qq.com", "Base address of the WeChat Pay API"),
  PAY_ALIPAY_APP_ID: matching(/^\d{16}$/, "16 digits", "AppID of the application at Alipay; enables this gateway"),
  PAY_ALIPAY_SELLER_ID: matching(/^2088\d{12}$/, "16 digits that begin with 2088", "Merchant number (PID) at Alipay"),
  PAY_ALIPAY_PRIVATE_KEY: secretOf(
    readOwnAlipayKey,
    "an RSA private key of at least 2048 bits, as PEM or base64",
    "Private key of the application at Alipay (RSA2), as PEM or base64",
  ),
  PAY_ALIPAY_PUBLIC_KEY: secretOf(
    readAlipayKey,
    "an RSA public key of at least 2048 bits, as PEM or base64",
    "Public key of Alipay, as shown for the application in Alipay's console",
  ),
  PAY_ALIPAY_BASE_URL: address("https://openapi.alipay.com/gateway.do", "Address of the Alipay API"),
  PAY_SIMULATED: z
    .enum(["1"], { error: "must be 1 or not set" })
    .optional()
    .describe(
      "1: enable the simulated gateway in addition to others; not allowed in production. If not set, the simulated gateway is only enabled with the embedded database, a loopback HOST and no other gateway",
    ),
  PAY_LIMIT_SECONDS: wholeNumber(10, 7200, 1800).describe("Seconds after which an unpaid order is closed"),
  PAY_REDIRECT_URL: z
    .string()
    .refine((text) => /^(?:\/(?![/\\])|https?:\/\/)[^\s\\]*$/i.test(text), {
      error: "must be a path, or an http or https address",
    })
    .default("/")
    .describe("Address to which a payer's browser returns by default"),
  PAY_REDIRECT_HOSTS: commaList
    .transform((hosts) => hosts.map((host) => host.toLowerCase()))
    .refine((hosts) => hosts.every((host) => /^[a-z0-9.-]+(?::\d{1,5})?$/.test(host)), {
      error: "must be hosts separated by commas, such as pay.example.edu,www.example.edu:8443",
    })
    .describe("Other hosts to which a payer's browser may return, separated by commas"),
  REFUND_APPROVAL: z
    .enum(["one", "two"], { error: 'must be "one" or "two"' })
    .default("one")
    .describe(
      "one: refunds start when requested; two: refunds start after another super administrator has approved them",
    ),
  PAY_RECONCILE_TIME: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, { error: "must be a time of day in the format HH:mm" })
    .default("10:30")
    .describe("Time of the daily reconciliation of yesterday's statements, in Asia/Shanghai"),
  PAY_TIMEOUT_MS: wholeNumber(100, 60_000, 10_000).describe(
    "Time limit for a request to a payment gateway, in milliseconds",
  ),
};

/** Every gateway except the simulated one needs PUBLIC_URL for the addresses of notices and of returning payers. */
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
