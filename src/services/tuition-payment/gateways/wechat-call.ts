import { createDecipheriv, createVerify, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import * as z from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { joinUrl, type WholeAnswer } from "#platform/outbound/request.ts";
import { exchange, mostStatementBytes } from "./exchange.ts";
import { believe, GatewayError, unbelievable } from "./gateway.ts";
import { readPlatformKey, type WeChatKind } from "./settings.ts";

export interface WeChatMerchant {
  readonly mchId: string;
  readonly appId: string;
  readonly kinds: readonly [WeChatKind, ...WeChatKind[]];
  readonly apiKey: string;
  readonly merchantKey: KeyObject;
  readonly merchantSerial: string;
  readonly publicKey: { readonly id: string; readonly pem: string } | undefined;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

interface WeChatCall {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query?: Record<string, string>;
  readonly body?: object;
}

export type WeChatLine = ReturnType<typeof openWeChatLine>;

const refusal = z.object({ code: z.string().regex(/^[A-Z0-9_]{1,64}$/) });

/** These errors are transient or caused by the configuration, so the same call may succeed later. */
const passing = new Set([
  "SYSTEM_ERROR",
  "FREQUENCY_LIMITED",
  "RATELIMIT_EXCEEDED",
  "NOT_ENOUGH",
  "SIGN_ERROR",
  "NO_AUTH",
  "MCH_NOT_EXISTS",
]);

export function openWeChatLine(merchant: WeChatMerchant) {
  const findKey = createKeyFinder(merchant, async () =>
    readAnswerSignature(await send(merchant, { method: "GET", path: "/v3/certificates" })),
  );
  const call = async (asked: WeChatCall): Promise<unknown> => {
    const answer = await send(merchant, asked);
    await verifyAnswer(answer, findKey, merchant.clock());
    return readAnswer(answer);
  };
  return {
    merchant,
    findKey,
    call,
    callFor: async <T>(asked: WeChatCall, read: (json: unknown) => T): Promise<T> => {
      const json = await call(asked);
      return believe("wechat", () => read(json));
    },
    /** The bill is not signed, but its address comes from a verified response. */
    download: async (url: URL): Promise<Buffer> => {
      const answer = await sendTo(merchant, url, { method: "GET" });
      if (answer.status !== 200) throw unbelievable("wechat", "the statement could not be downloaded");
      return answer.body;
    },
  };
}

const send = (merchant: WeChatMerchant, call: WeChatCall): Promise<WholeAnswer> =>
  sendTo(merchant, joinUrl(merchant.baseUrl, call.path, call.query), call);

function sendTo(
  merchant: WeChatMerchant,
  url: URL,
  { method, body }: Pick<WeChatCall, "method" | "body">,
): Promise<WholeAnswer> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = {
    accept: "application/json",
    "user-agent": "quintet",
    authorization: authorize(merchant, method, url, text),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(merchant.publicKey ? { "wechatpay-serial": merchant.publicKey.id } : {}),
  };
  return exchange({
    gateway: "wechat",
    url,
    method,
    headers,
    ...(body === undefined ? {} : { body: text }),
    timeoutMs: merchant.timeoutMs,
    ...(url.pathname.startsWith("/v3/billdownload/") ? { mostBytes: mostStatementBytes } : {}),
  });
}

function authorize(merchant: WeChatMerchant, method: string, { pathname, search }: URL, body: string): string {
  const timestamp = String(Math.floor(merchant.clock() / 1000));
  const nonce = makeNonce();
  const signature = signLines(merchant.merchantKey, method, pathname + search, timestamp, nonce, body);
  const { mchId: mchid, merchantSerial: serial_no } = merchant;
  const parts = { mchid, nonce_str: nonce, timestamp, serial_no, signature };
  const list = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  return `WECHATPAY2-SHA256-RSA2048 ${list.join(",")}`;
}

function readAnswerSignature({ body, headers }: WholeAnswer): SignedMessage {
  const message = readSignature(body, (name) => [headers[name]].flat()[0]);
  if (!message) throw unbelievable("wechat", "the response has no signature");
  return message;
}

async function verifyAnswer(answer: WholeAnswer, findKey: FindKey, nowMs: number): Promise<void> {
  const message = readAnswerSignature(answer);
  if (!isFresh(message, nowMs))
    throw unbelievable("wechat", "the response was signed too long ago or in the future: check the server's clock");
  const key = await findKey(message.serial).catch((error: unknown) => {
    throw error instanceof GatewayError
      ? error
      : unbelievable("wechat", "the platform certificates could not be fetched");
  });
  if (!key) throw unbelievable("wechat", "the response is signed with an unknown key");
  if (!isSignedBy(key, message)) throw unbelievable("wechat", "the response has an invalid signature");
}

function readAnswer({ status, body }: WholeAnswer): unknown {
  let json: unknown = null;
  try {
    if (body.length > 0) json = JSON.parse(body.toString());
  } catch {
    throw unbelievable("wechat", "the response is not JSON");
  }
  if (status >= 200 && status <= 299) return json;
  const code = refusal.safeParse(json).data?.code;
  const isFinal = status >= 400 && status <= 499 && status !== 429 && !(code && passing.has(code));
  throw new GatewayError(
    "wechat",
    isFinal ? "refused" : "unknown",
    `the gateway rejected the request with status ${status}`,
    code,
  );
}

// WeChat Pay (API v3) signs the parts of a message, each ended by a newline, with SHA-256 and RSA; the signature is in
// base64.

/** Both WeChat Pay and this server refuse messages with a larger clock skew, which limits replays. */
const mostSkewMs = 5 * 60_000;
const tagBytes = 16;

export const makeNonce = (): string => randomBytes(16).toString("hex");

export const signLines = (key: KeyObject, ...lines: readonly string[]): string =>
  sign("sha256", Buffer.from(lines.map((line) => `${line}\n`).join("")), key).toString("base64");

interface SignedMessage {
  readonly serial: string;
  readonly signature: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly body: Buffer;
}

export function readSignature(body: Buffer, header: (name: string) => string | undefined): SignedMessage | undefined {
  const [serial, signature, timestamp, nonce] = ["serial", "signature", "timestamp", "nonce"].map((name) =>
    header(`wechatpay-${name}`),
  );
  return serial && signature && timestamp && nonce ? { serial, signature, timestamp, nonce, body } : undefined;
}

export const isFresh = ({ timestamp }: SignedMessage, nowMs: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - nowMs) <= mostSkewMs;

export const isSignedBy = (key: KeyObject, { timestamp, nonce, body, signature }: SignedMessage): boolean =>
  createVerify("sha256").update(`${timestamp}\n${nonce}\n`).update(body).update("\n").verify(key, signature, "base64");

export const sealed = z.object({
  ciphertext: z.string(),
  nonce: z.string(),
  associated_data: z.string().optional(),
});

export function openSealed(
  apiKey: string,
  { ciphertext, nonce, associated_data: more = "" }: z.output<typeof sealed>,
): Buffer {
  const bytes = Buffer.from(ciphertext, "base64");
  if (bytes.length < tagBytes) throw new RangeError("the encrypted text is too short");
  const decipher = createDecipheriv("aes-256-gcm", apiKey, nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(-tagBytes)).setAAD(Buffer.from(more));
  return Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]);
}

// WeChat Pay signs with the configured public key or with platform certificates. The certificates, which change every
// few years, are fetched with a signed request. While a merchant migrates from certificates to the key, both are in
// use.

type FindKey = (serial: string) => Promise<KeyObject | undefined>;

const certificates = z.object({
  data: z.array(z.object({ serial_no: z.string(), encrypt_certificate: sealed })).max(20),
});

// An unknown serial number causes a fetch, unless the last fetch was shortly before. This limits the fetches that
// forged numbers can cause.
const pauseMs = 60_000;
const pauseAfterFailureMs = 5000;

/**
 * @param fetchCertificates returns the response of `GET /v3/certificates`, which can be verified only with the
 * certificates in it
 */
function createKeyFinder(
  { publicKey, apiKey, clock }: WeChatMerchant,
  fetchCertificates: () => Promise<SignedMessage>,
): FindKey {
  const platformKey = publicKey && readPlatformKey(publicKey.pem);
  let known = new Map<string, X509Certificate>();
  let nextTryMs = 0;
  // Concurrent callers wait for the same fetch, which returns the certificates for all of them.
  let underWay: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    nextTryMs = clock() + pauseAfterFailureMs;
    known = readCertificates(await fetchCertificates(), apiKey, clock());
    nextTryMs = clock() + pauseMs;
  }

  return async (serial) => {
    if (serial === publicKey?.id) return platformKey;
    if (serial.startsWith("PUB_KEY_ID_")) return undefined;
    if (!known.has(serial) && clock() >= nextTryMs) underWay ??= refresh().finally(() => (underWay = undefined));
    await underWay;
    const certificate = known.get(serial);
    if (!certificate) return undefined;
    const { validFromDate, validToDate, publicKey: key } = certificate;
    return validFromDate.getTime() <= clock() && clock() < validToDate.getTime() ? key : undefined;
  };
}

/**
 * Reads the response to `GET /v3/certificates`. Decrypting with the APIv3 key authenticates the certificates, and the
 * response's signature prevents replays.
 * @throws if the decryption fails or the signature is invalid or old
 */
function readCertificates(message: SignedMessage, apiKey: string, nowMs: number): Map<string, X509Certificate> {
  const { data } = certificates.parse(JSON.parse(message.body.toString()));
  const read = new Map(
    data.map((one) => [one.serial_no, new X509Certificate(openSealed(apiKey, one.encrypt_certificate))]),
  );
  const signer = read.get(message.serial);
  if (!signer || !isFresh(message, nowMs) || !isSignedBy(signer.publicKey, message))
    throw new Error("the platform certificates have no valid and recent signature");
  return read;
}
