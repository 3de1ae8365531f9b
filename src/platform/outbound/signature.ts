import { createHmac, randomBytes } from "node:crypto";

// Signatures follow Standard Webhooks 1.0.0 with symmetric keys (whsec_).

const prefix = "whsec_";
const secretBytes = 32;

export const createSecret = (): string => prefix + randomBytes(secretBytes).toString("base64");

export const readKey = (secret: string): Buffer => Buffer.from(secret.slice(prefix.length), "base64");

export const signedHeaders = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;
export type SignedHeaders = Readonly<Record<(typeof signedHeaders)[number], string>>;

export const toTimestamp = (atMs: number): string => String(Math.floor(atMs / 1000));

export function sign(id: string, body: Buffer, keys: readonly Buffer[], nowMs: number): SignedHeaders {
  const timestamp = toTimestamp(nowMs);
  const signature = keys
    .map((key) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`)
    .join(" ");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
}
