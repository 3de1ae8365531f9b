import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { toNormalForm } from "#platform/contract/normal-form.ts";
import { mostPasswordLength } from "#platform/contract/password-length.ts";
import { openTurns } from "#platform/jobs/turns.ts";

/** argon2id with 19 MiB and two passes: OWASP's least for interactive logins, about 30 ms of one core. Tests lower it. */
export const passwordCosts = { memory: 19_456, passes: 2, parallelism: 1 };
const hashBytes = 32;
const phcPattern = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const openQueue = (atOnce: number, mostWaiting: number) =>
  openTurns({ atOnce, mostWaiting, refusal: { headers: { "retry-after": "2" } } });

// libuv has four threads, which files and name look-ups share: one is left to them whatever arrives. What waits in
// either queue is answered within about a second; more would only wait for a client that has given up. Whoever changes
// passwords has a token already and is not held up by a flood of logins, nor the other way round.
export const passwordTurns = { login: openQueue(2, 60), change: openQueue(1, 30) };

const derive = promisify(argon2);
const toText = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

/** What is hashed of a password; undefined when it is longer than any may be. */
function toMessage(password: string): Buffer | undefined {
  const form = toNormalForm(password, 2 * mostPasswordLength);
  return form === undefined ? undefined : Buffer.from(form);
}

/** The hash of a password in PHC form. @throws {Problem} tooManyRequests when too many wait already. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const message = toMessage(password);
  if (!message) throw new Error("a password is longer than any may be");
  const hash = await passwordTurns.change.take(() =>
    derive("argon2id", { ...passwordCosts, message, nonce, tagLength: hashBytes }),
  );
  return toPhc(nonce, hash);
}

function toPhc(nonce: Buffer, hash: Buffer): string {
  const { memory, passes, parallelism } = passwordCosts;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${toText(nonce)}$${toText(hash)}`;
}

// What a password is compared with when there is no account or no hash, so that both take the same time.
const toNobodysHash = (): string => toPhc(Buffer.alloc(16), Buffer.alloc(hashBytes));

/**
 * Whether the password belongs to the hash; without a hash false, after as long a time.
 * @param queue for whom it is worked out: somebody who logs in, or who changes their password
 * @throws {Problem} tooManyRequests when too many wait already
 */
export async function verifyPassword(
  password: string,
  phc: string | null | undefined,
  queue: keyof typeof passwordTurns,
): Promise<boolean> {
  const match = phcPattern.exec(phc ?? toNobodysHash());
  if (!match) throw new Error("a stored password hash has an unknown form");
  const [memory, passes, parallelism] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const expected = Buffer.from(match[5] ?? "", "base64");
  const nonce = Buffer.from(match[4] ?? "", "base64");
  // One that is too long belongs to no account, and takes as long as another that is wrong.
  const given = toMessage(password);
  const message = given ?? Buffer.alloc(0);
  const hash = await passwordTurns[queue].take(() =>
    derive("argon2id", { memory, passes, parallelism, message, nonce, tagLength: expected.length }),
  );
  return timingSafeEqual(hash, expected) && given !== undefined && phc != null;
}
