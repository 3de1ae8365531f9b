import { formatDateTime, isDateTime, parseDateTime } from "#platform/contract/times.ts";
import { parseYuan } from "#services/tuition-payment/amounts.ts";

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

/** Of an ISO 8601 time with its offset. @throws RangeError for anything else. */
export const fromIsoTime = (text: string): Date => new Date(Temporal.Instant.from(text).epochMilliseconds);

/** As much of a text as fits, whole characters only. */
export const cutText = (text: string, most: number): string => [...text].slice(0, most).join("");
