import { type KeyObject, sign, verify } from "node:crypto";
import * as z from "zod";
import type { Clock } from "#platform/contract/clock.ts";
import { joinUrl } from "#platform/outbound/request.ts";
import { exchange, fromBankTime, fromBankYuan, mostStatementBytes } from "./exchange.ts";
import { type CallOptions, GatewayError, type Statement, type StatementRow, unbelievable } from "./gateway.ts";

export interface AbcMerchant {
  readonly merchantId: string;
  readonly merchantKey: KeyObject;
  readonly bankKey: KeyObject;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const path = "/ebus/trustpay/ReceiveMerchantTrxReqServlet";
const done = "0000";
/** The bank does not know itself. */
const open = new Set(["EUNKWN", "2999"]);

const answered = z.object({
  Merchant: z.object({ MerchantID: z.string() }),
  TrxResponse: z.looseObject({ ReturnCode: z.string().regex(/^[0-9A-Z]{4,12}$/) }),
});

/** What the bank has signed. @throws GatewayError `refused` for a code of the bank's, `unknown` for everything else. */
export async function callAbc(
  merchant: AbcMerchant,
  request: { readonly TrxType: string; readonly [name: string]: unknown },
  options: CallOptions | undefined,
): Promise<unknown> {
  const party = { ECMerchantType: "EBUS", MerchantID: merchant.merchantId };
  const answer = await exchange({
    gateway: "abc",
    url: joinUrl(merchant.baseUrl, path),
    method: "POST",
    headers: { "content-type": "application/json" },
    body: writeSigned({ Merchant: party, TrxRequest: request }, merchant.merchantKey),
    timeoutMs: merchant.timeoutMs,
    ...(request.TrxType === "Settle" ? { mostBytes: mostStatementBytes } : {}),
    options,
  });
  if (answer.status !== 200) throw unbelievable("abc", `an answer with status ${answer.status}`);
  return readAnswer(answer.body, merchant, request.TrxType);
}

function readAnswer(bytes: Buffer, { bankKey, merchantId }: AbcMerchant, type: string): unknown {
  const read = believe(() => {
    const message = readSigned(bytes, bankKey);
    return message === undefined ? undefined : answered.parse(message);
  });
  if (!read) throw unbelievable("abc", "half an answer, or one with a wrong signature");
  const { Merchant: party, TrxResponse: response } = read;
  if (party.MerchantID !== merchantId || response["TrxType"] !== type)
    throw unbelievable("abc", "the answer to another question");
  if (response.ReturnCode === done) return response;
  const isOpen = open.has(response.ReturnCode);
  throw new GatewayError("abc", isOpen ? "unknown" : "refused", "it said no", response.ReturnCode);
}

/** What is signed and still not of the protocol says nothing of what has happened. */
export function believe<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw unbelievable("abc", "an answer that is not of the protocol");
  }
}

// Every message of ABC's, in either direction, is JSON with the signature over the very text of its part `Message`. The
// bank writes GB18030, in which no second byte is a quotation mark; what is sent is ASCII, other characters escaped.

const algorithm = "SHA1withRSA";
const envelope =
  /^\s*\{"MSG":\{"Message":(\{.*\}),"Signature-Algorithm":"([\w-]+)","Signature":"([A-Za-z0-9+/=]+)"\}\}\s*$/s;

export function writeSigned(message: object, key: KeyObject): string {
  const text = JSON.stringify({ Version: "V3.0.0", Format: "JSON", ...message }).replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const signature = sign("sha1", Buffer.from(text), key).toString("base64");
  return `{"MSG":{"Message":${text},"Signature-Algorithm":"${algorithm}","Signature":"${signature}"}}`;
}

/** The message, when it is the bank's; undefined when it is not signed, or not with this key. */
export function readSigned(bytes: Buffer, key: KeyObject): unknown {
  const [, text, named, signature] = envelope.exec(bytes.toString("latin1")) ?? [];
  if (text === undefined || signature === undefined || named !== algorithm) return undefined;
  const signed = Buffer.from(text, "latin1");
  if (!verify("sha1", signed, key, Buffer.from(signature, "base64"))) return undefined;
  return JSON.parse(decodeBank(signed));
}

export const decodeBank = (bytes: Uint8Array): string => new TextDecoder("gb18030").decode(bytes);

const settlement = z.object({ SettleDate: z.string(), DetailRecords: z.base64() });
const notMadeYet = "2502";

/** The whole day, payments and refunds, in one signed answer. */
export async function fetchAbcStatement(
  merchant: AbcMerchant,
  date: string,
  options: CallOptions | undefined,
): Promise<Statement> {
  const SettleDate = date.replaceAll("-", "/");
  try {
    const answer = await callAbc(merchant, { TrxType: "Settle", SettleDate, ZIP: "0" }, options);
    return { state: "ready", rows: believe(() => readDay(answer, SettleDate)) };
  } catch (error) {
    if (error instanceof GatewayError && error.code === notMadeYet) return { state: "notReady" };
    throw error;
  }
}

const headings = ["交易类型", "订单编号", "交易时间", "交易金额", "主机流水号", "原订单号"] as const;

function readDay(answer: unknown, date: string): StatementRow[] {
  const { SettleDate, DetailRecords } = settlement.parse(answer);
  if (SettleDate !== date) throw new RangeError("another day's");
  const [head = "", ...records] = decodeBank(Buffer.from(DetailRecords, "base64")).split("^^");
  const names = head.split("|");
  const places = headings.map((heading) => names.indexOf(heading));
  if (places.includes(-1)) throw new RangeError("headings are missing");
  return records.map((record) => {
    const cells = record.split("|");
    return toRow(places.map((place) => cells[place] ?? ""));
  });
}

function toRow([type = "", no = "", time = "", amount = "", tradeNo = "", original = ""]: string[]): StatementRow {
  const shared = { tradeNo, amountFen: fromBankYuan(amount), at: fromBankTime(time, "") };
  if (type === "Sale") return { ...shared, kind: "payment", orderNo: no };
  if (type !== "Refund") throw new RangeError("a type that is not of the protocol");
  return { ...shared, kind: "refund", orderNo: original, refundNo: no };
}
