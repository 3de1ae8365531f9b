import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { addUses, findHeldKey, type HeldKey } from "#platform/accounts/access-key-store.ts";
import type { Caller } from "#platform/contract/caller.ts";
import { compileNetworks } from "#platform/contract/networks.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import type { Pool } from "#platform/database/index.ts";

// An access key is `qk_<id>_<random>`: what stands before the random part may be seen, named and looked for in a text
// that somebody has published by mistake. The random part has 256 bits, so a plain hash keeps it.

const sessionTokenLength = 43;
const shape = /^qk_([1-9]\d{0,14})_([\w-]{43})$/;

/** Whether it is shown as an access key, be it one or not. A session's token may begin alike, by chance. */
export const isAccessKey = (token: string): boolean => token.startsWith("qk_") && token.length !== sessionTokenLength;

/** What of a key may be seen. */
export const keyMark = (id: number): string => `qk_${id}`;

const hashSecret = (secret: string): Buffer => hash("sha256", secret, "buffer");

/** The random part of a new key, and what is kept of it. */
export function makeSecret(): { secret: string; secretHash: Buffer } {
  const secret = randomBytes(32).toString("base64url");
  return { secret, secretHash: hashSecret(secret) };
}

export const writeKey = (id: number, secret: string): string => `${keyMark(id)}_${secret}`;

/** What a token that is shown as a key is worth: its caller, or why it is worth nothing. */
export type Judged =
  | { readonly caller: Caller }
  /** `mark` is of a key that there is, or was shown in full; undefined where it is no more than a guess. */
  | { readonly problem: Problem; readonly mark: string | undefined };

/** @param address the client's own, in full */
export async function judgeKey(pool: Pool, token: string, address: string): Promise<Judged> {
  const [, id = "", secret = ""] = shape.exec(token) ?? [];
  const key = id === "" ? undefined : await findHeldKey(pool, Number(id));
  if (!key || !timingSafeEqual(key.secretHash, hashSecret(secret)))
    return { problem: new Problem("tokenInvalid"), mark: key && keyMark(key.id) };
  const problem = findObjection(key, address);
  return problem ? { problem, mark: keyMark(key.id) } : { caller: toCaller(key) };
}

/** Why the key does not open anything now. Whoever hears it has shown the whole key. */
function findObjection({ revokedAt, isOver, enabled, networks }: HeldKey, address: string): Problem | undefined {
  if (revokedAt !== null) return explain("tokenInvalid", "该密钥已被吊销", "the key has been revoked");
  if (isOver) return explain("tokenInvalid", "该密钥已过期", "the key has expired");
  if (!enabled) return explain("tokenInvalid", "该服务账号已停用", "the service account is disabled");
  if (networks !== null && !compileNetworks(networks)(address))
    return explain("forbidden", "该密钥不能从此地址使用", "the key may not be used from this address");
  return undefined;
}

/** A service account acts as an operator does, narrowed to what both it and the key may do. */
function toCaller({ id, accountId, userName, accountName, rights, accountRights }: HeldKey): Caller {
  const own = accountRights ?? [];
  const narrowed = rights === null ? own : own.filter((right) => rights.includes(right));
  const services = [...new Set(narrowed.map((right) => right.slice(0, right.lastIndexOf("."))))];
  return {
    sessionId: 0,
    keyId: id,
    accountId,
    service: "platform",
    userName,
    name: accountName,
    isSuper: true,
    services: services.filter((service) => service !== "platform"),
    rights: narrowed,
    hasFactor: false,
    factorAgeSeconds: null,
    mustChoose: false,
  };
}

interface Uses {
  readonly counts: Map<number, { count: number; lastAt: Date }>;
  timer: NodeJS.Timeout | undefined;
}

const gathered = new WeakMap<Pool, Uses>();
const gatherMs = 60_000;

/** Counts a use; what gathers within a minute is written at once, for a call not to cost a write. */
export function countUse(pool: Pool, keyId: number, atMs: number): void {
  const uses = gathered.get(pool) ?? { counts: new Map(), timer: undefined };
  gathered.set(pool, uses);
  const { count } = uses.counts.get(keyId) ?? { count: 0 };
  uses.counts.set(keyId, { count: count + 1, lastAt: new Date(atMs) });
  uses.timer ??= setTimeout(() => void writeUses(pool).catch(() => undefined), gatherMs).unref();
}

/** Writes what has gathered in this process. Where the database does not take it, it is lost: they are figures. */
export async function writeUses(pool: Pool): Promise<void> {
  const uses = gathered.get(pool);
  if (!uses) return;
  clearTimeout(uses.timer);
  gathered.delete(pool);
  if (uses.counts.size > 0) await addUses(pool, uses.counts);
}
