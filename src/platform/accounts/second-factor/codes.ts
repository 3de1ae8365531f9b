import { hash, randomBytes } from "node:crypto";
import { Secret, TOTP } from "otpauth";

// RFC 6238 as every phone has it: SHA-1, six digits, steps of 30 seconds.

const period = 30;
const seedBytes = 20;
/** One step each way: a phone may be half a minute off, and a code typed slowly is still good. */
const slack = 1;

const open = (seed: string, label = ""): TOTP =>
  new TOTP({ issuer: "Quintet", label, secret: Secret.fromBase32(seed), period });

/** A new seed in base32, as it is typed, and as the address that a QR code holds. */
export function makeSeed(label: string): { seed: string; uri: string } {
  const seed = new Secret({ size: seedBytes }).base32;
  return { seed, uri: open(seed, label).toString() };
}

/** The six digits that were typed, spaces left out; undefined: it can be no code. */
export function readCode(typed: string): string | undefined {
  const code = typed.replaceAll(/\s/g, "");
  return /^\d{6}$/.test(code) ? code : undefined;
}

/** The step that a code is of; undefined: it is of none that counts now. @param nowMs epoch milliseconds */
export function matchCode(seed: string, typed: string, nowMs: number): number | undefined {
  const token = readCode(typed);
  // The library compares bytes, and throws where six characters have more than six.
  if (token === undefined) return undefined;
  const totp = open(seed);
  const delta = totp.validate({ token, timestamp: nowMs, window: slack });
  return delta === null ? undefined : totp.counter({ timestamp: nowMs }) + delta;
}

// Ten codes of 120 random bits, each good once. From 112 bits on a fast hash is enough (ASVS 6.5.2).

const howMany = 10;
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

const makeCode = (): string =>
  Array.from(randomBytes(24), (byte) => alphabet[byte % alphabet.length])
    .join("")
    .replaceAll(/(.{4})(?=.)/g, "$1-");

export const makeRecoveryCodes = (): string[] => Array.from({ length: howMany }, makeCode);

/** What is kept of a code, however it was typed: with or without hyphens, in capitals, o for 0, l or i for 1. */
export function hashRecoveryCode(accountId: number, code: string): Buffer {
  const typed = code
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
  return hash("sha256", `${accountId} ${typed}`, "buffer");
}
