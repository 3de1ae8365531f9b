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

// libuv has four threads, which files and name look-ups share: one is left to them whatever arrives. What waits in
// either queue is answered within about a second; more would only wait for a client that has given up. Whoever changes
// passwords has a token already and is not held up by a flood of logins, nor the other way round.
export const passwordSemaphores = {
  login: openSemaphore({ permits: 2, maxWaiting: 60, refusal }),
  change: openSemaphore({ permits: 1, maxWaiting: 30, refusal }),
};

// Without i, l, o and u: nothing that is mistaken for a digit, and few words.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Random letters and digits to be typed, each of 5 bits. */
export const makeLetters = (count: number): string =>
  Array.from(randomBytes(count), (byte) => alphabet[byte % alphabet.length]).join("");

const derive = promisify(argon2);

/** In UTF-16 units: what is longer is no password. */
const mostUnits = 2 * mostPasswordLength;

/** The hash of a password in PHC form. @throws {Problem} tooManyRequests when too many wait already. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const message = toNormalForm(password, mostUnits);
  if (message === undefined) throw new Error("a password is longer than any may be");
  const hash = await passwordSemaphores.change.run(() =>
    derive("argon2id", { ...passwordCosts, message, nonce, tagLength: hashBytes }),
  );
  return toPhc(nonce, hash);
}

/**
 * Whether the password belongs to the hash; without a hash false, after as long a time.
 * @param queue for whom it is worked out: somebody who logs in, or who changes their password
 * @throws {Problem} tooManyRequests when too many wait already
 */
export async function verifyPassword(
  password: string,
  phc: string | null | undefined,
  queue: keyof typeof passwordSemaphores,
): Promise<boolean> {
  // One that is too long belongs to no account, and takes as long as another that is wrong.
  const given = toNormalForm(password, mostUnits);
  const old = phc == null || given === undefined ? undefined : await unwrapOldPassword(phc, password);
  const match = phcPattern.exec(old?.phc ?? phc ?? toPhc(Buffer.alloc(16), Buffer.alloc(hashBytes)));
  if (!match) throw new Error("a stored password hash has an unknown form");
  const [memory, passes, parallelism] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const expected = Buffer.from(match[5] ?? "", "base64");
  const nonce = Buffer.from(match[4] ?? "", "base64");
  const derived = await passwordSemaphores[queue].run(() =>
    Promise.all(
      (old?.messages ?? [given ?? ""]).map((message) =>
        derive("argon2id", { memory, passes, parallelism, message, nonce, tagLength: expected.length }),
      ),
    ),
  );
  return derived.some((hash) => timingSafeEqual(hash, expected)) && given !== undefined && phc != null;
}

// Old front ends encrypt passwords with a public key before they send them (JSEncrypt: PKCS#1 v1.5).

export const sealedPrivateKey: SealedColumn = {
  table: "platform.key_pair",
  key: { name: "text" },
  column: "private_key",
};

const newBits = 2048;
const place = bindingOf(sealedPrivateKey);

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
  const key = await db.value<string | undefined>`select private_key from platform.key_pair where name = 'password'`;
  return key && db.keys.open(place, key);
}

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
