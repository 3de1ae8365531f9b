import { argon2Sync, createHash, randomBytes } from "node:crypto";
import { hashBytes, passwordCosts, toPhc } from "./phc.ts";

// The password hash of an old system is stored as argon2id of the old hash, together with up to two parameters of the
// old hash in base64url: "$old$<kind>$<first parameter>$<second parameter><PHC string>". The first login replaces this
// value with the argon2id hash of the password itself.

const bcryptPattern = /^(\$2[abxy]\$\d\d\$[./A-Za-z0-9]{22})[./A-Za-z0-9]{31}$/;
const hexBytes: Readonly<Record<number, "md5" | "sha256">> = { 32: "md5", 64: "sha256" };
const wrapped = /^\$old\$(bcrypt|md5|sha256)\$([\w-]*)\$([\w-]*)(\$argon2id\$.*)$/;

export interface OldPassword {
  readonly hash: string;
  readonly salt: string;
  readonly userName: string;
}

const pack = (text: string): string => Buffer.from(text).toString("base64url");
const unpack = (text: string | undefined): string => Buffer.from(text ?? "", "base64url").toString();

export function wrapOldPassword({ hash, salt, userName }: OldPassword): string | undefined {
  const bcrypt = bcryptPattern.exec(hash);
  const kind = bcrypt ? "bcrypt" : /^[\da-f]+$/i.test(hash) ? hexBytes[hash.length] : undefined;
  if (kind === undefined) return undefined;
  const message = bcrypt ? hash : hash.toLowerCase();
  const beside = bcrypt ? `${pack(bcrypt[1] ?? "")}$` : `${pack(salt)}$${pack(userName)}`;
  const nonce = randomBytes(16);
  const made = argon2Sync("argon2id", { ...passwordCosts, message, nonce, tagLength: hashBytes });
  return `$old$${kind}$${beside}${toPhc(nonce, made)}`;
}

export interface Unwrapped {
  readonly phc: string;
  /** The inputs to verify against `phc`, any of which may match, because frameworks place the salt differently. */
  readonly messages: readonly string[];
}

/**
 * Returns the argon2id hash and the inputs to verify against it, or undefined if the stored hash is not from an old
 * system.
 */
export async function unwrapOldPassword(stored: string, password: string): Promise<Unwrapped | undefined> {
  const [, kind, first, second, phc] = wrapped.exec(stored) ?? [];
  if (kind === undefined || phc === undefined) return undefined;
  if (kind === "bcrypt") {
    const { hash } = await import("bcryptjs");
    return { phc, messages: [await hash(password, unpack(first))] };
  }
  const [salt, userName] = [unpack(first), unpack(second)];
  const salted = salt === "" ? [] : [`${salt}${password}`, `${password}${salt}`, `${userName}${password}${salt}`];
  const texts = salt === "" ? [password] : salted;
  return { phc, messages: texts.map((text) => createHash(kind).update(text).digest("hex")) };
}

export const isOldPassword = (stored: string | null): boolean => stored?.startsWith("$old$") === true;
