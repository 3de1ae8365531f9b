// Each of these texts can make a normalization, a regular expression, a parser or a loop take quadratic time.

const repeat = (unit: string) => (bytes: number) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));
const then = (end: string, unit: string) => (bytes: number) => repeat(unit)(bytes - Buffer.byteLength(end)) + end;

export const hostileTexts: Readonly<Record<string, (bytes: number) => string>> = {
  // Normalization is slow to reorder combining marks of two alternating classes.
  marks: (bytes) => `a${repeat("\u0315\u0316")(bytes - 1)}`,
  "one ligature of eighteen letters": repeat("\ufdfa"),
  blanks: then("x", " "),
  "blanks of many kinds": then("x", "\u3000\t\u00a0\n"),
  digits: then("x", "0"),
  letters: then("!", "a"),
  "word and blank": repeat("a "),
  commas: repeat("1,"),
  semicolons: repeat("a;q=0.1,"),
  equals: then("x", "="),
  slashes: then("x", "/"),
  backslashes: then('"', "\\"),
  quotes: then("x", '"'),
  brackets: repeat("["),
  braces: repeat('{"a":'),
  parentheses: repeat("（("),
  dots: repeat("1."),
  colons: repeat("12:"),
  percents: repeat("%"),
  ampersands: repeat("&a"),
  "one date after another": repeat("2026-05-01,"),
  "tag after tag": repeat("<a"),
  emoji: repeat("👩‍"),
  "half pairs": repeat("\\ud800"),
};
