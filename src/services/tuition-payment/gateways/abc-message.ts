import { type KeyObject, sign, verify } from "node:crypto";

// Every message of ABC's, in either direction, is JSON with the signature over the very text of its part `Message`. The
// bank writes GB18030, in which no second byte is a quotation mark; what is sent is ASCII, other characters escaped.

const algorithm = "SHA1withRSA";
const envelope =
  /^\s*\{"MSG":\{"Message":(\{.*\}),"Signature-Algorithm":"([\w-]+)","Signature":"([A-Za-z0-9+/=]+)"\}\}\s*$/s;

export function writeSigned(message: object, key: KeyObject): string {
  const text = JSON.stringify({ Version: "V3.0.0", Format: "JSON", ...message }).replaceAll(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const signature = sign("sha1", Buffer.from(text), key).toString("base64");
  return `{"MSG":{"Message":${text},"Signature-Algorithm":"${algorithm}","Signature":"${signature}"}}`;
}

/** The message, when it is the bank's; undefined when it is not signed, or not with this key. */
export function readSigned(bytes: Buffer, key: KeyObject): unknown {
  const [, text, named, signature] = envelope.exec(bytes.toString("latin1")) ?? [];
  if (text === undefined || signature === undefined || named !== algorithm) return undefined;
  const signed = Buffer.from(text, "latin1");
  if (!verify("sha1", signed, key, Buffer.from(signature, "base64"))) return undefined;
  return JSON.parse(decodeBank(signed));
}

export const decodeBank = (bytes: Uint8Array): string => new TextDecoder("gb18030").decode(bytes);
