import type { KeyObject } from "node:crypto";
import * as z from "zod";
import type { Clock } from "#platform/contract/clock.ts";
import { joinUrl, type WholeAnswer } from "#platform/outbound/request.ts";
import { exchange, mostStatementBytes } from "./exchange.ts";
import { type CallOptions, GatewayError, unbelievable } from "./gateway.ts";
import {
  createKeyFinder,
  type FindKey,
  isFresh,
  isSignedBy,
  makeNonce,
  readSignature,
  type SignedMessage,
  signLines,
} from "./wechat-signature.ts";

export interface WeChatMerchant {
  readonly mchId: string;
  readonly appId: string;
  readonly apiKey: string;
  readonly merchantKey: KeyObject;
  readonly merchantSerial: string;
  readonly publicKey: { readonly id: string; readonly pem: string } | undefined;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export interface WeChatCall {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query?: Record<string, string>;
  readonly body?: object;
}

export interface WeChatLine {
  readonly merchant: WeChatMerchant;
  readonly findKey: FindKey;
  /** The answer's JSON, null for none. @throws GatewayError `refused` only for what the platform has signed. */
  call(call: WeChatCall, options?: CallOptions): Promise<unknown>;
  /** A file at an address that a verified answer has named; not signed itself. */
  download(url: URL, options?: CallOptions): Promise<Buffer>;
}

const refusal = z.object({ code: z.string().regex(/^[A-Z0-9_]{1,64}$/) });

/** Refusals of the moment: the same call may be taken later. */
const passing = new Set(["SYSTEM_ERROR", "FREQUENCY_LIMITED", "RATELIMIT_EXCEEDED", "NOT_ENOUGH"]);

/** Requests signed as the merchant, and answers believed when the platform has signed them. */
export function openWeChatLine(merchant: WeChatMerchant): WeChatLine {
  const { clock, apiKey, publicKey } = merchant;
  const findKey = createKeyFinder({
    publicKey,
    apiKey,
    clock,
    fetchCertificates: async () => {
      const answer = await send(merchant, { method: "GET", path: "/v3/certificates" }, undefined);
      return readAnswerSignature(answer);
    },
  });
  return {
    merchant,
    findKey,
    async call(call, options) {
      const answer = await send(merchant, call, options);
      await verifyAnswer(answer, findKey, clock());
      return readAnswer(answer);
    },
    async download(url, options) {
      const answer = await sendTo(merchant, url, { method: "GET" }, options);
      if (answer.status !== 200) throw unbelievable("wechat", "a statement that does not come");
      return answer.body;
    },
  };
}

const send = (merchant: WeChatMerchant, call: WeChatCall, options: CallOptions | undefined): Promise<WholeAnswer> =>
  sendTo(merchant, joinUrl(merchant.baseUrl, call.path, call.query), call, options);

function sendTo(
  merchant: WeChatMerchant,
  url: URL,
  { method, body }: Pick<WeChatCall, "method" | "body">,
  options: CallOptions | undefined,
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
    options,
  });
}

function authorize(merchant: WeChatMerchant, method: string, { pathname, search }: URL, body: string): string {
  const timestamp = String(Math.floor(merchant.clock() / 1000));
  const nonce = makeNonce();
  const signature = signLines(merchant.merchantKey, method, pathname + search, timestamp, nonce, body);
  const parts = {
    mchid: merchant.mchId,
    nonce_str: nonce,
    timestamp,
    serial_no: merchant.merchantSerial,
    signature,
  };
  const list = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
  return `WECHATPAY2-SHA256-RSA2048 ${list.join(",")}`;
}

function readAnswerSignature({ body, headers }: WholeAnswer): SignedMessage {
  const message = readSignature(body, (name) => [headers[name]].flat()[0]);
  if (!message) throw unbelievable("wechat", "an answer without a signature");
  return message;
}

async function verifyAnswer(answer: WholeAnswer, findKey: FindKey, nowMs: number): Promise<void> {
  const message = readAnswerSignature(answer);
  if (!isFresh(message, nowMs)) throw unbelievable("wechat", "an answer of another time: do the clocks agree?");
  const key = await findKey(message.serial).catch((error: unknown) => {
    throw error instanceof GatewayError ? error : unbelievable("wechat", "no platform certificates");
  });
  if (!key) throw unbelievable("wechat", "an answer signed with an unknown key");
  if (!isSignedBy(key, message)) throw unbelievable("wechat", "an answer with a wrong signature");
}

function readAnswer({ status, body }: WholeAnswer): unknown {
  const json = parseJson(body);
  if (status >= 200 && status <= 299) return json;
  const code = refusal.safeParse(json).data?.code;
  const isFinal = status >= 400 && status <= 499 && status !== 429 && !(code && passing.has(code));
  throw new GatewayError("wechat", isFinal ? "refused" : "unknown", `it said no with status ${status}`, code);
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw unbelievable("wechat", "an answer that is no JSON");
  }
}
