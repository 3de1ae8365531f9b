// Blanks, brackets and full-width letters are what two spellings of one name most often differ by.
const simplify = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s\p{P}]/gu, "");

/** Of the names the one that is meant in all likelihood: the same but for blanks and signs, else one that holds it or is held by it. */
export function findSimilar(name: string, among: readonly string[]): string | undefined {
  const simple = simplify(name);
  if (simple === "") return undefined;
  const holds = (other: string): boolean =>
    Math.min(other.length, simple.length) >= 2 && (other.includes(simple) || simple.includes(other));
  return among.find((other) => simplify(other) === simple) ?? among.find((other) => holds(simplify(other)));
}
