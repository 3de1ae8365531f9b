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

const ownWords = ["quintet", "platform", "operator", "administrator", "admin"];
// Shorter parts of names stand in other words by chance.
const leastWordLength = 4;
// What is left beside the words: a year, and a sign or two, are tried first.
const leastBeside = 5;

/** Letters and digits alone, in one spelling. */
const toLetters = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");

let contextWords: readonly string[] = [];

/** The words by which a password of this place would be guessed: longest first, parts of names beside the names. */
function toContextWords(words: readonly string[]): string[] {
  const parts = words.flatMap((word) => [word, ...word.split(/[^\p{L}\p{N}]+/u)]).map(toLetters);
  const kept = parts.filter((part) => part.length >= leastWordLength || /[^\p{ASCII}]{2}/u.test(part));
  return [...new Set(kept)].toSorted((one, other) => other.length - one.length);
}

/** Has passwords of this process be judged by these words too, and the platform's own; by none where there are none. */
export function rememberContext(words: readonly string[]): void {
  contextWords = words.length === 0 ? [] : toContextWords([...ownWords, ...words]);
}

/** Whether the password is little more than words of this place. */
function isOfContext(password: string, userName: string): boolean {
  if (contextWords.length === 0) return false;
  const letters = toLetters(password);
  const words = [...contextWords, ...toContextWords([userName])];
  const left = words.reduce((rest, word) => rest.replaceAll(word, ""), letters);
  return left.length < Math.min(leastBeside, letters.length);
}

/**
 * Why anybody would guess the password early: it is among the commonest, is the name that it belongs to, or is little more
 * than words of this place; undefined when neither. The caller has judged its length.
 */
export async function findWeakness(
  password: string,
  userName: string,
): Promise<"common" | "name" | "context" | undefined> {
  if (toNameKey(password) === toNameKey(userName)) return "name";
  const folded = password.normalize("NFKC").toLowerCase();
  if (isPattern(folded) || (await readList()).has(folded)) return "common";
  return isOfContext(password, userName) ? "context" : undefined;
}

const runs = [
  "01234567890123456789",
  "98765432109876543210",
  "abcdefghijklmnopqrstuvwxyz",
  "zyxwvutsrqponmlkjihgfedcba",
];

const isPattern = (text: string): boolean =>
  /^([a-z0-9]{1,4})\1+$/.test(text) || runs.some((run) => run.includes(text));
