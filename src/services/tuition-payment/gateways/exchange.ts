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

/** The largest genuine answer but a statement is below 16 KiB. */
const usualBytes = 256 * 1024;
/** Some 300,000 rows of the widest statement, in one day. */
export const mostStatementBytes = 128 * 1024 * 1024;

export interface Exchange extends Pick<
  WholeRequest,
  "url" | "method" | "headers" | "body" | "timeoutMs" | "allowsLegacyTls"
> {
  readonly gateway: GatewayName;
  readonly mostBytes?: number;
}

/** Sends one request, once. @throws GatewayError `unknown` when there is no whole answer in time. */
export async function exchange({ gateway, mostBytes = usualBytes, ...asked }: Exchange): Promise<WholeAnswer> {
  try {
    return await request({ ...asked, whom: gateway, mostBytes });
  } catch (error) {
    throw error instanceof OutboundFailure ? unbelievable(gateway, error.message) : error;
  }
}

/**
 * A bank takes a refund number that it knows for an error, or for a second refund: it is asked first, and told only what
 * it does not know. Whoever calls sees to it that one refund number is under way once.
 */
export async function refundOnce(
  queryRefund: Gateway["queryRefund"],
  send: () => Promise<Refund>,
  request: RefundRequest,
): Promise<Refund> {
  const known = await queryRefund(request);
  return known.state === "absent" ? send() : known;
}

/** What both banks wait for, or send their notice again. */
export const answerBank = (failure?: string): NoticeAnswer =>
  failure === undefined
    ? { status: 200, contentType: "text/plain", body: "SUCCESS" }
    : { status: 400, contentType: "text/plain", body: "FAIL" };

// Banks write yuan as text and times in the time of Beijing, whatever the platform's own zone.

const zone = "Asia/Shanghai";

/** Always with two decimals: `4800.50`. */
export const toBankYuan = (fen: number): string => `${Math.floor(fen / 100)}.${String(fen % 100).padStart(2, "0")}`;

/** @throws RangeError for what is no amount of money. */
export function fromBankYuan(text: string): number {
  const fen = parseYuan(text);
  if (fen === undefined) throw new RangeError("no amount of money");
  return fen;
}

/** `yyyy-MM-dd HH:mm:ss`. */
export const toBankTime = (instant: Date): string => formatDateTime(instant, zone);

/** Of `yyyyMMdd` and `HHmmss`, with or without separators between their parts. @throws RangeError for no time. */
export function fromBankTime(date: string, time: string): Date {
  const digits = `${date}${time}`.replaceAll(/\D/g, "");
  const text = digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, "$1-$2-$3 $4:$5:$6");
  if (!isDateTime(text)) throw new RangeError("no date and time");
  return parseDateTime(text, zone);
}

/** As much of a text as fits, whole characters only. */
export const cutText = (text: string, most: number): string => [...text].slice(0, most).join("");
