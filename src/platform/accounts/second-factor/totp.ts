import { Secret, TOTP } from "otpauth";

// RFC 6238 as every phone has it: SHA-1, six digits, steps of 30 seconds.

const period = 30;
const seedBytes = 20;
/** One step each way: a phone may be half a minute off, and a code typed slowly is still good. */
const slack = 1;
/** How far off a clock is still recognised as a clock that is off: ten minutes. */
const farthest = 20;

const open = (seed: string, label = ""): TOTP =>
  new TOTP({ issuer: "Quintet", label, secret: Secret.fromBase32(seed), period });

/** A new seed in base32, as it is typed, and as the address that a QR code holds. */
export function makeSeed(label: string): { seed: string; uri: string } {
  const seed = new Secret({ size: seedBytes }).base32;
  return { seed, uri: open(seed, label).toString() };
}

/** Which step a code is of. `offSteps`: how far from now, when that is too far for it to count; above zero: to come. */
export interface Matched {
  readonly step: number;
  readonly offSteps: number;
}

/** The six digits that were typed, spaces left out; undefined: it can be no code. */
export function readCode(typed: string): string | undefined {
  const code = typed.replaceAll(/\s/g, "");
  return /^\d{6}$/.test(code) ? code : undefined;
}

/** @param nowMs epoch milliseconds */
export function matchCode(seed: string, typed: string, nowMs: number): Matched | undefined {
  const token = readCode(typed);
  // The library compares bytes, and throws where six characters have more than six.
  if (token === undefined) return undefined;
  const totp = open(seed);
  const now = totp.counter({ timestamp: nowMs });
  for (const window of [slack, farthest]) {
    const delta = totp.validate({ token, timestamp: nowMs, window });
    if (delta !== null) return { step: now + delta, offSteps: Math.abs(delta) <= slack ? 0 : delta };
  }
  return undefined;
}

/** How far a clock is off, in whole minutes. */
export const toMinutes = (steps: number): number => Math.max(1, Math.round((Math.abs(steps) * period) / 60));
