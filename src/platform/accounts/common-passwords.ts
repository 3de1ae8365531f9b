import { toNameKey } from "#platform/accounts/name-key.ts";
import { leastPasswordLength } from "#platform/contract/password-length.ts";

// The list has the commonest passwords of leaks, in small letters; those that follow a mere pattern are left out of it.

let listed: Promise<ReadonlySet<string>> | undefined;

/** Read when it is first needed: 20 ms and 2 MB that a process without changes of passwords does not pay. */
const readList = (): Promise<ReadonlySet<string>> =>
  (listed ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) =>
      new Set(dictionary["passwords-common"].filter((password) => password.length >= leastPasswordLength)),
  ));

/**
 * Why anybody would guess the password early: it is among the commonest, or is the name that it belongs to; undefined
 * when neither. The caller has judged its length.
 */
export async function findWeakness(password: string, userName: string): Promise<"common" | "name" | undefined> {
  if (toNameKey(password) === toNameKey(userName)) return "name";
  const folded = password.normalize("NFKC").toLowerCase();
  return isPattern(folded) || (await readList()).has(folded) ? "common" : undefined;
}

const runs = [
  "01234567890123456789",
  "98765432109876543210",
  "abcdefghijklmnopqrstuvwxyz",
  "zyxwvutsrqponmlkjihgfedcba",
];

const isPattern = (text: string): boolean =>
  /^([a-z0-9]{1,4})\1+$/.test(text) || runs.some((run) => run.includes(text));
