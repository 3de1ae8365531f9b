import { createHash } from "node:crypto";

const leastLength = 32;

/** A key of the audit log's chain, and what it is known by where the key itself must not be told. */
export interface AuditKey {
  readonly id: string;
  readonly key: string;
}

/** The keys of AUDIT_KEY: the first seals, the others are those before it. @throws {Error} when one is too short */
export function readAuditKeys(text: string | undefined): readonly AuditKey[] {
  const keys = text === undefined ? [] : text.split(",").map((key) => key.trim());
  if (keys.some((key) => key.length < leastLength)) throw new Error("a key is too short");
  return keys.map((key) => ({
    id: createHash("sha256").update(`quintet audit key ${key}`).digest("hex").slice(0, 8),
    key,
  }));
}
