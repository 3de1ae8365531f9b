import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  privateDecrypt,
} from "node:crypto";
import { promisify } from "node:util";
import { readPrivateKey } from "#platform/contract/private-key.ts";
import type { Db } from "#platform/database/index.ts";
import { placeOf } from "#platform/sealing/column.ts";
import { sealedPrivateKey } from "./sealed.ts";

// Old front ends encrypt passwords with a public key before they send them (JSEncrypt: PKCS#1 v1.5).

const newBits = 2048;
const place = placeOf(sealedPrivateKey);

/** The platform's private key: the given one, else the one kept in the database, made when there is none yet. */
export async function loadPrivateKey(db: Db, importedPem: string | undefined): Promise<KeyObject> {
  if (importedPem) return readPrivateKey(importedPem);
  const kept = await findKey(db);
  if (kept) return createPrivateKey(kept);
  const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: newBits });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" });
  await db`insert into platform.key_pair (name, private_key) values ('password', ${db.keys.seal(place, pem)}) on conflict do nothing`;
  return createPrivateKey((await findKey(db)) ?? pem);
}

async function findKey(db: Db): Promise<string | undefined> {
  const [row] = await db<
    { privateKey: string }[]
  >`select private_key as "privateKey" from platform.key_pair where name = 'password'`;
  return row && db.keys.open(place, row.privateKey);
}

/** The public half as SubjectPublicKeyInfo, base64 on one line: what JSEncrypt and WebCrypto take. */
export const toPublicKeyText = (key: KeyObject): string =>
  createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");

/**
 * The text that a client encrypted with RSA-OAEP-SHA-256 or PKCS#1 v1.5. What cannot be decrypted gives a text that is
 * no password, never an error: the answer must not tell a wrong cipher text from a wrong password (Bleichenbacher).
 */
export function decryptPassword(key: KeyObject, base64: string): string {
  const bytes = (key.asymmetricKeyDetails?.modulusLength ?? newBits) / 8;
  const given = Buffer.from(base64, "base64");
  // Old JSEncrypt versions drop leading zero bytes in four to nine of a thousand cipher texts.
  const sized = given.length < bytes ? Buffer.concat([Buffer.alloc(bytes - given.length), given]) : given;
  const oaep = attempt(() =>
    privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }, sized),
  );
  // OpenSSL's implicit rejection answers a wrong v1.5 padding with pseudo-random bytes in the same time.
  const v15 = attempt(() => privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, sized));
  return oaep ?? v15 ?? unreadable;
}

/** One character longer than any password may be. */
export const unreadable = "\u{FFFD}".repeat(129);

function attempt(decrypt: () => Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(decrypt());
  } catch {
    return undefined;
  }
}
