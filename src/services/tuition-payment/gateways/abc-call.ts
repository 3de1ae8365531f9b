import type { KeyObject } from "node:crypto";
import * as z from "zod";
import type { Clock } from "#platform/contract/clock.ts";
import { joinUrl } from "#platform/outbound/request.ts";
import { readSigned, writeSigned } from "./abc-message.ts";
import { exchange, mostStatementBytes } from "./exchange.ts";
import { type CallOptions, GatewayError, unbelievable } from "./gateway.ts";

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
