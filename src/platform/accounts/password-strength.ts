import { type Match, type Matcher, MatcherBaseClass, type MatchOptions, ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs as graphs, dictionary } from "@zxcvbn-ts/language-common";
import { toNameKey } from "./account-store.ts";
import { digits, syllables, words } from "./common-passwords.ts";

/** The power of ten of the guesses: zxcvbn's score of 3 begins at 8, to which any three pieces come by themselves. */
const leastGuessesLog10 = 8.3;
/** What is longer is judged by its beginning, since the work grows much faster than the length. */
const mostLetters = 24;
/** Digits alone, few as they are; numbers of phones and identity cards, and dates, which add nothing to what stands beside them. */
const numbers = /^\d{1,20}$|(?<!\d)(?:1[3-9]\d{9}|\d{17}[\dx]|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01]))(?!\d)/gi;

/**
 * Why anybody would guess the password early: few guesses reach it, or it is the name that it belongs to. The caller has
 * judged its length.
 */
export function findWeakness(password: string, userName: string): "common" | "name" | undefined {
  if (toNameKey(password) === toNameKey(userName)) return "name";
  const judged = password.normalize("NFKC").replaceAll(numbers, "").slice(0, mostLetters);
  const { guessesLog10, sequence } = estimate.check(judged, userName.split(/[^\p{L}\p{N}]+/u));
  return guessesLog10 + countHan(sequence) < leastGuessesLog10 ? "common" : undefined;
}

/** The library takes each letter that it does not know for one out of ten; a Chinese one is one out of a hundred at least. */
const countHan = (sequence: readonly Match[]): number =>
  new Set(
    sequence.flatMap(({ pattern, token }) => (pattern === "bruteforce" ? (token.match(/\p{Script=Han}/gu) ?? []) : [])),
  ).size;

const ranks = new Map(syllables.map((syllable, at) => [syllable, at + 1]));
const longestSyllable = 6;

/** Syllables of pinyin that follow one another: a name, or words. The library would take three of any rank for strong. */
class PinyinRuns extends MatcherBaseClass {
  match({ password }: MatchOptions): Match[] {
    const letters = password.toLowerCase();
    return Array.from(letters).flatMap((_, start) =>
      countGuesses(letters, start).flatMap((guesses, end) =>
        end === start
          ? []
          : [{ pattern: "pinyin", i: start, j: end - 1, token: password.slice(start, end), runs: guesses }],
      ),
    );
  }
}

/** By the places where a run from the start may end, how many guesses reach it. */
function countGuesses(letters: string, start: number): number[] {
  const guesses: number[] = [];
  guesses[start] = 1;
  for (let at = start; at < letters.length; at++) {
    const before = guesses[at];
    if (before === undefined) continue;
    for (let end = at + 1; end <= Math.min(at + longestSyllable, letters.length); end++) {
      const rank = ranks.get(letters.slice(at, end));
      if (rank !== undefined) guesses[end] = Math.min(guesses[end] ?? Infinity, before * rank);
    }
  }
  return guesses;
}

const pinyin: Matcher = {
  Matching: PinyinRuns,
  scoring: ({ token, runs }) => Number(runs) * (/[A-Z]/.test(token) ? 2 : 1),
  feedback: () => null,
};

const estimate = new ZxcvbnFactory({ graphs, dictionary: { ...dictionary, digits, words } }, { pinyin });
