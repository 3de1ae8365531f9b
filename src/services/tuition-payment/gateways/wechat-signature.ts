import { createDecipheriv, createVerify, type KeyObject, randomBytes, sign } from "node:crypto";

// What WeChat Pay (API v3) signs is always lines, each with its line feed: SHA-256 with RSA, in base64.

/** Both sides refuse what is further off; it bounds how long a copied message is good for. */
const mostSkewMs = 5 * 60_000;
const tagBytes = 16;

export const makeNonce = (): string => randomBytes(16).toString("hex");

export const signLines = (key: KeyObject, ...lines: readonly string[]): string =>
  sign("sha256", Buffer.from(lines.map((line) => `${line}\n`).join("")), key).toString("base64");

/** How a message of the platform's names its signature; the body's bytes as they came. */
export interface SignedMessage {
  readonly serial: string;
  readonly signature: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly body: Buffer;
}

/** Out of the four headers, of which none may be missing. */
export function readSignature(body: Buffer, header: (name: string) => string | undefined): SignedMessage | undefined {
  const [serial, signature, timestamp, nonce] = ["serial", "signature", "timestamp", "nonce"].map((name) =>
    header(`wechatpay-${name}`),
  );
  return serial && signature && timestamp && nonce ? { serial, signature, timestamp, nonce, body } : undefined;
}

export const isFresh = ({ timestamp }: SignedMessage, nowMs: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(Number(timestamp) * 1000 - nowMs) <= mostSkewMs;

export const isSignedBy = (key: KeyObject, { timestamp, nonce, body, signature }: SignedMessage): boolean =>
  createVerify("sha256").update(`${timestamp}\n${nonce}\n`).update(body).update("\n").verify(key, signature, "base64");

export interface Sealed {
  readonly ciphertext: string;
  readonly nonce: string;
  readonly associated_data?: string | undefined;
}

/** @throws when it was not sealed with this key, this nonce and this associated data. */
export function openSealed(apiKey: string, { ciphertext, nonce, associated_data: more = "" }: Sealed): Buffer {
  const sealed = Buffer.from(ciphertext, "base64");
  if (sealed.length < tagBytes) throw new RangeError("too short");
  const decipher = createDecipheriv("aes-256-gcm", apiKey, nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(-tagBytes)).setAAD(Buffer.from(more));
  return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()]);
}
