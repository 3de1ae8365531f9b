import {
  argon2,
  constants,
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  privateDecrypt,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { promisify } from "node:util";
import { toNormalForm } from "#platform/contract/storable-text.ts";
import { mostPasswordLength } from "#platform/contract/password-length.ts";
import { readPrivateKey } from "#platform/contract/private-key.ts";
import type { Db } from "#platform/database/index.ts";
import { openSemaphore } from "#platform/jobs/semaphore.ts";
import { bindingOf, type SealedColumn } from "#platform/sealing/keyring.ts";
import { unwrapOldPassword } from "./old-password.ts";
import { hashBytes, passwordCosts, toPhc } from "./phc.ts";

const phcPattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const refusal = { headers: { "retry-after": "2" } };

// argon2 runs on libuv's four threads, of which one must stay free for files and name look-ups. Processing a full queue
// takes about a second, and clients would not wait longer. Password changes have their own queue, so that neither queue
// blocks the other.
export const passwordSemaphores = {
  login: openSemaphore({ permits: 2, maxWaiting: 60, refusal }),
  change: openSemaphore({ permits: 1, maxWaiting: 30, refusal }),
};

// The alphabet is Crockford's: it lacks i, l, o and u, which resemble digits or form words.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

export const makeLetters = (count: number): string =>
  Array.from(randomBytes(count), (byte) => alphabet[byte % alphabet.length]).join("");

const derive = promisify(argon2);

const mostUnits = 2 * mostPasswordLength;

/**
 * Returns the argon2id hash of the password in the PHC format.
 * @throws {Problem} tooManyRequests if the queue is full
 * @throws {Error} if the password exceeds the maximum length
 */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const message = toNormalForm(password, mostUnits);
  if (message === undefined) throw new Error("the password exceeds the maximum length");
  const hash = await passwordSemaphores.change.run(() =>
    derive("argon2id", { ...passwordCosts, message, nonce, tagLength: hashBytes }),
  );
  return toPhc(nonce, hash);
}

/**
 * If there is no hash, returns false after the same time, so that the duration does not reveal whether an account
 * exists.
 * @throws {Problem} tooManyRequests if the queue is full
 * @throws {Error} if the format of the hash is unknown
 */
export async function verifyPassword(
  password: string,
  phc: string | null | undefined,
  queue: keyof typeof passwordSemaphores,
): Promise<boolean> {
  // A password that is too long matches no hash, but refusing it must take as long as refusing a wrong one.
  const given = toNormalForm(password, mostUnits);
  const old = phc == null || given === undefined ? undefined : await unwrapOldPassword(phc, password);
  const match = phcPattern.exec(old?.phc ?? phc ?? toPhc(Buffer.alloc(16), Buffer.alloc(hashBytes)));
  if (!match) throw new Error("unknown format of a stored password hash");
  const [memory, passes, parallelism] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const expected = Buffer.from(match[5] ?? "", "base64");
  const nonce = Buffer.from(match[4] ?? "", "base64");
  const options = { memory, passes, parallelism, nonce, tagLength: expected.length };
  const derived = await Promise.all(
    (old?.messages ?? [given ?? ""]).map((message) =>
      passwordSemaphores[queue].run(() => derive("argon2id", { ...options, message })),
    ),
  );
  return derived.some((hash) => timingSafeEqual(hash, expected)) && given !== undefined && phc != null;
}

export const sealedPrivateKey: SealedColumn = {
  table: "platform.key_pair",
  key: { name: "text" },
  column: "private_key",
};

const newBits = 2048;
const place = bindingOf(sealedPrivateKey);

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
  const key = await db.value<string | undefined>`select private_key from platform.key_pair where name = 'password'`;
  return key && db.keys.open(place, key);
}

/**
 * Decrypts RSA-OAEP with SHA-256, or PKCS#1 v1.5. For an invalid ciphertext, returns a text that matches no password
 * instead of an error, so that the answer does not reveal which ciphertexts are invalid (Bleichenbacher's attack).
 */
export function decryptPassword(key: KeyObject, base64: string): string {
  const bytes = (key.asymmetricKeyDetails?.modulusLength ?? newBits) / 8;
  const given = Buffer.from(base64, "base64");
  // Old JSEncrypt versions omit leading zero bytes, which 0.4 to 0.8 % of ciphertexts have.
  const sized = given.length < bytes ? Buffer.concat([Buffer.alloc(bytes - given.length), given]) : given;
  const oaep = attempt(() =>
    privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" }, sized),
  );
  // For invalid v1.5 padding, OpenSSL returns pseudo-random bytes in constant time instead of an error.
  const v15 = attempt(() => privateDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, sized));
  return oaep ?? v15 ?? unreadable;
}

/** The text is one character longer than the longest allowed password, so it matches none. */
export const unreadable = "\u{FFFD}".repeat(129);

function attempt(decrypt: () => Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(decrypt());
  } catch {
    return undefined;
  }
}
