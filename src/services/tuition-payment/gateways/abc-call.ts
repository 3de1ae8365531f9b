import { type KeyObject, sign, verify } from "node:crypto";
import { parseXml, XmlElement } from "@rgrove/parse-xml";
import * as z from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { joinUrl } from "#platform/outbound/request.ts";
import { exchange, fromBankTime, fromBankYuan, mostStatementBytes } from "./exchange.ts";
import { believe, GatewayError, type Statement, type StatementRow, unbelievable } from "./gateway.ts";

export interface AbcMerchant {
  readonly merchantId: string;
  readonly merchantKey: KeyObject;
  readonly bankKey: KeyObject;
  readonly baseUrl: string;
  /** Whether unsafe TLS renegotiation is allowed, because the bank's hosts reportedly support nothing newer. */
  readonly allowsLegacyTls: boolean;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const path = "/ebus/ReceiveMerchantTrxReqServlet";
const done = "0000";
/** These codes leave the outcome open: the bank is unsure, or does not know the configured certificate. */
const open = new Set(["EUNKWN", "2999", "2302"]);

const said = z.looseObject({ ReturnCode: z.string().regex(/^[0-9A-Z]{4,12}$/), TrxType: z.string().optional() });

/** The response to a payment has its fields beside `Merchant`; all other responses have them in `TrxResponse`. */
const answered = z
  .looseObject({ Merchant: z.object({ MerchantID: z.string() }), TrxResponse: said.optional() })
  .transform(({ Merchant, TrxResponse, ...rest }) => ({
    merchantId: Merchant.MerchantID,
    response: TrxResponse ?? said.parse(rest),
  }));

/** @throws GatewayError "refused" if the bank's error code settles the outcome, and "unknown" for any other failure */
export async function callAbc(
  merchant: AbcMerchant,
  request: { readonly TrxType: string; readonly [name: string]: unknown },
): Promise<unknown> {
  const party = { ECMerchantType: "EBUS", MerchantID: merchant.merchantId };
  const text = JSON.stringify({ Version: "V3.0.0", Format: "JSON", Merchant: party, TrxRequest: request });
  const signature = sign("sha1", Buffer.from(text), merchant.merchantKey).toString("base64");
  const answer = await exchange({
    gateway: "abc",
    url: joinUrl(merchant.baseUrl, path),
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `{"Message":${text},"Signature-Algorithm":"${algorithm}","Signature":"${signature}"}`,
    timeoutMs: merchant.timeoutMs,
    allowsLegacyTls: merchant.allowsLegacyTls,
    ...(request.TrxType === "Settle" ? { mostBytes: mostStatementBytes } : {}),
  });
  if (answer.status !== 200) throw unbelievable("abc", `the response has the status ${answer.status}`);
  return readAnswer(answer.body, merchant, request.TrxType);
}

function readAnswer(bytes: Buffer, merchant: AbcMerchant, type: string): unknown {
  const read = believe("abc", () => {
    const text = readText(bytes, answerForm, merchant.bankKey);
    return text === undefined ? undefined : answered.parse(JSON.parse(text));
  });
  if (!read) throw unbelievable("abc", "the response is incomplete or has an invalid signature");
  const { merchantId, response } = read;
  const { ReturnCode: code, TrxType = "" } = response;
  if (merchantId !== merchant.merchantId || (TrxType !== type && (code === done || TrxType !== "")))
    throw unbelievable("abc", "the response belongs to another request");
  if (code === done) return response;
  throw new GatewayError("abc", open.has(code) ? "unknown" : "refused", "the gateway rejected the request", code);
}

// A request is JSON in UTF-8 with a signature over the exact text of `Message`. A response has the same form within
// `MSG`, in GB18030. A notice is XML in GB18030. These texts can be searched as bytes, because no trailing byte of a
// GB18030 character is a quotation mark or an angle bracket.

const algorithm = "SHA1withRSA";
const answerForm =
  /^\s*\{"MSG":\{"Message":(\{.*\}),"Signature-Algorithm":"([\w-]+)","Signature":"([A-Za-z0-9+/=]+)"\}\}\s*$/s;
const noticeForm =
  /^\s*<MSG><Message>(.*)<\/Message><Signature-Algorithm>([\w-]+)<\/Signature-Algorithm><Signature>([A-Za-z0-9+/=]+)<\/Signature><\/MSG>\s*$/s;

export function readSignedNotice(bytes: Buffer, key: KeyObject): Readonly<Record<string, string>> | undefined {
  const text = readText(bytes, noticeForm, key);
  if (text === undefined) return undefined;
  const { root } = parseXml(text);
  if (root?.name !== "TrxResponse") throw new RangeError("not a payment notice");
  const fields = root.children.filter((node) => node instanceof XmlElement);
  return Object.fromEntries(fields.map((field) => [field.name, field.text]));
}

function readText(bytes: Buffer, form: RegExp, key: KeyObject): string | undefined {
  const [, text, named, signature] = form.exec(bytes.toString("latin1")) ?? [];
  if (text === undefined || signature === undefined || named !== algorithm) return undefined;
  const signed = Buffer.from(text, "latin1");
  return verify("sha1", signed, key, Buffer.from(signature, "base64")) ? decodeBank(signed) : undefined;
}

export const decodeBank = (bytes: Uint8Array): string => new TextDecoder("gb18030").decode(bytes);

const settlement = z.object({ SettleDate: z.string(), DetailRecords: z.string() });

export async function fetchAbcStatement(merchant: AbcMerchant, date: string): Promise<Statement> {
  const SettleDate = date.replaceAll("-", "/");
  const answer = await callAbc(merchant, { TrxType: "Settle", SettleDate, ZIP: "0" });
  return { state: "ready", rows: believe("abc", () => readDay(answer, SettleDate)) };
}

const headings = ["交易类型", "订单编号", "交易时间", "交易金额", "9014流水号", "原订单号"] as const;

function readDay(answer: unknown, date: string): StatementRow[] {
  const { SettleDate, DetailRecords } = settlement.parse(answer);
  if (SettleDate !== date) throw new RangeError("the statement is for another day");
  const [head = "", ...records] = DetailRecords.split("^^").filter((record) => record !== "");
  if (head === "") return [];
  const names = head.split("|");
  const places = headings.map((heading) => names.indexOf(heading));
  if (places.includes(-1)) throw new RangeError("the statement has no headings");
  return records.map((record) => {
    const cells = record.split("|");
    return toRow(places.map((place) => cells[place] ?? ""));
  });
}

/**
 * The type of a payment is its method, such as `Sale` or `weixinpay`. The bank may write the amount of a refund as
 * negative.
 */
function toRow([type = "", no = "", time = "", amount = "", tradeNo = "", original = ""]: string[]): StatementRow {
  const isRefund = /refund/i.test(type);
  const amountFen = fromBankYuan(isRefund ? amount.replace(/^-/, "") : amount);
  const shared = { tradeNo, amountFen, at: fromBankTime(time, "") };
  if (!isRefund) return { ...shared, kind: "payment", orderNo: no };
  return { ...shared, kind: "refund", orderNo: original, refundNo: no };
}
