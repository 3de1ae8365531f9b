import { createCipheriv, createDecipheriv } from "node:crypto";

// The campus platform encrypts with AES-128-CBC: the key is the application's key, which travels in the same body, and
// the IV the first 16 characters of its secret. So what decrypts is readable, and nothing more: it proves no sender. The
// first 16 characters of a person's event are always the same, so one push that was seen tells the IV, too.

const algorithm = "aes-128-cbc";
const blockBytes = 16;

/** With which an application's pushes are encrypted. */
export interface CipherKeys {
  readonly appKey: string;
  readonly appSecret: string;
}

const ivOf = ({ appSecret }: CipherKeys): Buffer => Buffer.from(appSecret.slice(0, blockBytes), "utf8");

/**
 * Cuts off padding: all zeros at the end (some senders add a whole block of them), else PKCS#7. JSON ends in neither.
 */
function cutPadding(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  const count = bytes[end - 1] ?? 0;
  const isPkcs7 =
    count >= 1 &&
    count <= blockBytes &&
    count <= end &&
    bytes.subarray(end - count, end).every((byte) => byte === count);
  return bytes.subarray(0, isPkcs7 ? end - count : end);
}

/** The bytes that were encrypted; undefined for what is no whole number of blocks in hex or base64. */
export function decrypt(text: string, keys: CipherKeys): Buffer | undefined {
  const isHex = text.length % (2 * blockBytes) === 0 && /^[0-9a-f]+$/i.test(text);
  // The lines of base64 may be broken.
  const joined = isHex ? text : text.replace(/\s+/g, "");
  if (!isHex && !/^[A-Za-z0-9+/]+={0,2}$/.test(joined)) return undefined;
  const encrypted = Buffer.from(joined, isHex ? "hex" : "base64");
  if (encrypted.length === 0 || encrypted.length % blockBytes !== 0) return undefined;
  const decipher = createDecipheriv(algorithm, Buffer.from(keys.appKey, "utf8"), ivOf(keys)).setAutoPadding(false);
  return cutPadding(Buffer.concat([decipher.update(encrypted), decipher.final()]));
}

/** Encrypts as the campus platform does, in lower-case hex: for the demonstration, tests and benchmarks. */
export function encrypt(text: string, keys: CipherKeys): string {
  const plain = Buffer.from(text, "utf8");
  const padded = Buffer.alloc(Math.ceil(plain.length / blockBytes) * blockBytes);
  plain.copy(padded);
  const cipher = createCipheriv(algorithm, Buffer.from(keys.appKey, "utf8"), ivOf(keys)).setAutoPadding(false);
  return Buffer.concat([cipher.update(padded), cipher.final()]).toString("hex");
}
