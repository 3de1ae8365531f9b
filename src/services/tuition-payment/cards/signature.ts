import { createHmac, timingSafeEqual } from "node:crypto";
import { isDateTime, parseDateTime } from "#platform/contract/times.ts";

const lifetimeMs = 300_000;

/** What a trusted front end sends beside the number of a card. */
export interface CardSignature {
  readonly cardNumber: string;
  /** Epoch seconds or milliseconds, or `yyyy-MM-dd HH:mm:ss`; signed as it stands. */
  readonly time: string;
  /** Hex HMAC-SHA256 of `cardNumber.time`. */
  readonly sign: string;
}

export interface SignatureCheck {
  readonly secret: string;
  readonly nowMs: number;
  readonly zone: string;
}

/** Whether the signature is right and at most five minutes old, or ahead of our clock. */
export function isSigned({ cardNumber, time, sign }: CardSignature, { secret, nowMs, zone }: SignatureCheck): boolean {
  const wanted = createHmac("sha256", secret).update(`${cardNumber}.${time}`).digest();
  const given = /^[0-9a-f]{64}$/i.test(sign) ? Buffer.from(sign, "hex") : Buffer.alloc(wanted.length);
  const signedMs = readTimeMs(time, zone);
  const fresh = signedMs !== undefined && Math.abs(nowMs - signedMs) <= lifetimeMs;
  return timingSafeEqual(wanted, given) && fresh;
}

function readTimeMs(time: string, zone: string): number | undefined {
  if (/^\d{10}$/.test(time)) return Number(time) * 1000;
  if (/^\d{13}$/.test(time)) return Number(time);
  return isDateTime(time) ? parseDateTime(time, zone).getTime() : undefined;
}
