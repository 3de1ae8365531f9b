// PostgreSQL's text and JSON have no place for NUL, and none for half of a surrogate pair.

export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** What can be stored of a text: without NUL, with U+FFFD for half a pair, and at most `most` UTF-16 units of it. */
export function toStorable(text: string, most = Number.POSITIVE_INFINITY): string {
  if (text.length <= most && isStorable(text)) return text;
  return text.replaceAll("\0", "").slice(0, most).toWellFormed();
}

/**
 * The text in Unicode's compatibility form (NFKC), or undefined for one of more than `most` UTF-16 units: a run of
 * combining marks is put in order in the square of its length, and 160,000 of them take 22 s.
 */
export const toNormalForm = (text: string, most: number): string | undefined =>
  text.length > most ? undefined : text.normalize("NFKC");
