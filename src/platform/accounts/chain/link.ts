import { createHash, createHmac } from "node:crypto";
import type { AuditKey } from "#platform/contract/audit-keys.ts";

// Hash n = SHA-256 of hash n-1 and line n, or its HMAC where there is a key. So no line can be changed, taken out or put
// in, and no two change places, without another hash for all that come behind.

export const hashBytes = 32;

/** What the first line is linked to. */
export const noHash: Buffer = Buffer.alloc(hashBytes);

/** @param text of the line; null: the line was taken away before it was sealed */
export function link(previous: Buffer, text: string | null, key: AuditKey | undefined): Buffer {
  const hash = key ? createHmac("sha256", key.key) : createHash("sha256");
  return hash
    .update(previous)
    .update(text ?? "")
    .digest();
}

/** The hash of the n-th line of a piece, from 0 on. */
export const hashAt = (hashes: Buffer, n: number): Buffer => hashes.subarray(n * hashBytes, (n + 1) * hashBytes);
