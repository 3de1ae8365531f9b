import { hash, randomBytes } from "node:crypto";

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
