import { createCipheriv, createDecipheriv } from "node:crypto";

// The campus platform encrypts with AES-128-CBC. The key is the application's key, which is sent in the same body, and
// the IV is the first 16 characters of the application's secret. Therefore decryption does not authenticate the sender.
// As all person events start with the same 16 characters, one observed push reveals the IV too.

const algorithm = "aes-128-cbc";
const blockBytes = 16;

export interface CipherKeys {
  readonly appKey: string;
  readonly appSecret: string;
}

const ivOf = ({ appSecret }: CipherKeys): Buffer => Buffer.from(appSecret.slice(0, blockBytes), "utf8");

/**
 * Removes the padding. Some senders pad with zeros, even with a full block of zeros, and others by PKCS#7. Neither
 * padding can be mistaken for the end of a JSON object, which is a closing brace.
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

export function decrypt(text: string, keys: CipherKeys): Buffer | undefined {
  const isHex = text.length % (2 * blockBytes) === 0 && /^[0-9a-f]+$/i.test(text);
  const joined = isHex ? text : text.replace(/\s+/g, "");
  if (!isHex && !/^[A-Za-z0-9+/]+={0,2}$/.test(joined)) return undefined;
  const encrypted = Buffer.from(joined, isHex ? "hex" : "base64");
  if (encrypted.length === 0 || encrypted.length % blockBytes !== 0) return undefined;
  const decipher = createDecipheriv(algorithm, Buffer.from(keys.appKey, "utf8"), ivOf(keys)).setAutoPadding(false);
  return cutPadding(Buffer.concat([decipher.update(encrypted), decipher.final()]));
}

/** The output is lower-case hexadecimal, as the campus platform writes it. */
export function encrypt(text: string, keys: CipherKeys): string {
  const plain = Buffer.from(text, "utf8");
  const padded = Buffer.alloc(Math.ceil(plain.length / blockBytes) * blockBytes);
  plain.copy(padded);
  const cipher = createCipheriv(algorithm, Buffer.from(keys.appKey, "utf8"), ivOf(keys)).setAutoPadding(false);
  return Buffer.concat([cipher.update(padded), cipher.final()]).toString("hex");
}
