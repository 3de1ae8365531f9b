import { formatDateTime, isDateTime, parseDateTime } from "#platform/contract/times.ts";
import { OutboundFailure, request, type WholeAnswer, type WholeRequest } from "#platform/outbound/request.ts";
import { parseYuan } from "#services/tuition-payment/amounts.ts";
import {
  type Gateway,
  type GatewayName,
  type NoticeAnswer,
  type Refund,
  type RefundRequest,
  unbelievable,
} from "./gateway.ts";

const usualBytes = 256 * 1024;
export const mostStatementBytes = 128 * 1024 * 1024;

export interface Exchange extends Pick<
  WholeRequest,
  "url" | "method" | "headers" | "body" | "timeoutMs" | "allowsLegacyTls"
> {
  readonly gateway: GatewayName;
  readonly mostBytes?: number;
}

export async function exchange({ gateway, mostBytes = usualBytes, ...asked }: Exchange): Promise<WholeAnswer> {
  try {
    return await request({ ...asked, whom: gateway, mostBytes });
  } catch (error) {
    throw error instanceof OutboundFailure ? unbelievable(gateway, error.message) : error;
  }
}

/**
 * A bank may treat a repeated refund number as an error or as a second refund, so the bank is queried before the refund
 * is sent. The caller must not run two calls for one refund number at a time.
 */
export async function refundOnce(
  queryRefund: Gateway["queryRefund"],
  send: () => Promise<Refund>,
  request: RefundRequest,
): Promise<Refund> {
  const known = await queryRefund(request);
  return known.state === "absent" ? send() : known;
}

/** CCB and ABC repeat a notice until they receive SUCCESS. */
export const answerBank = (failure?: string): NoticeAnswer =>
  failure === undefined
    ? { status: 200, contentType: "text/plain", body: "SUCCESS" }
    : { status: 400, contentType: "text/plain", body: "FAIL" };

// Banks write yuan as text, and times in Beijing time whatever the server's time zone.

const zone = "Asia/Shanghai";

export const toBankYuan = (fen: number): string => `${Math.floor(fen / 100)}.${String(fen % 100).padStart(2, "0")}`;

/** @throws RangeError for an invalid amount */
export function fromBankYuan(text: string): number {
  const fen = parseYuan(text);
  if (fen === undefined) throw new RangeError("not an amount of money");
  return fen;
}

export const toBankTime = (instant: Date): string => formatDateTime(instant, zone);

/** Accepts `yyyyMMdd` and `HHmmss` with or without separators. @throws RangeError for an invalid time */
export function fromBankTime(date: string, time: string): Date {
  const digits = `${date}${time}`.replaceAll(/\D/g, "");
  const text = digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, "$1-$2-$3 $4:$5:$6");
  if (!isDateTime(text)) throw new RangeError("not a date and time");
  return parseDateTime(text, zone);
}

export const cutText = (text: string, most: number): string => [...text].slice(0, most).join("");
