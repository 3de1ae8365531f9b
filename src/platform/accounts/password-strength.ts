import { type Match, type Matcher, MatcherBaseClass, type MatchOptions, ZxcvbnFactory } from "@zxcvbn-ts/core";
import { adjacencyGraphs as graphs, dictionary } from "@zxcvbn-ts/language-common";
import { toNameKey } from "./account-store.ts";
import { digits, syllables, words } from "./common-passwords.ts";

/**
 * The value is the decimal logarithm of the number of guesses. zxcvbn's score 3 starts at 8, which three common words
 * can reach.
 */
const leastGuessesLog10 = 8.3;
/** Only the beginning of a longer password is judged, because zxcvbn's cost grows faster than linearly. */
const mostLetters = 24;
const numbers = /^\d{1,20}$|(?<!\d)(?:1[3-9]\d{9}|\d{17}[\dx]|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01]))(?!\d)/gi;

export function findWeakness(password: string, userName: string): "common" | "name" | undefined {
  if (toNameKey(password) === toNameKey(userName)) return "name";
  const judged = password.normalize("NFKC").replaceAll(numbers, "").slice(0, mostLetters);
  const { guessesLog10, sequence } = estimate.check(judged, userName.split(/[^\p{L}\p{N}]+/u));
  return guessesLog10 + countHan(sequence) < leastGuessesLog10 ? "common" : undefined;
}

/**
 * zxcvbn assumes ten alternatives for a character that it does not recognise. A Chinese character has at least a
 * hundred, so each distinct one counts tenfold.
 */
const countHan = (sequence: readonly Match[]): number =>
  new Set(
    sequence.flatMap(({ pattern, token }) => (pattern === "bruteforce" ? (token.match(/\p{Script=Han}/gu) ?? []) : [])),
  ).size;

const ranks = new Map(syllables.map((syllable, at) => [syllable, at + 1]));
const longestSyllable = 6;

/** Finds runs of pinyin syllables, such as names and words, which zxcvbn alone would rate as strong. */
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
