// PostgreSQL's text and JSON types cannot store NUL or lone surrogates.

export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Removes NUL, replaces lone surrogates with U+FFFD, and truncates the text to `most` UTF-16 units. */
export function toStorable(text: string, most = Number.POSITIVE_INFINITY): string {
  if (text.length <= most && isStorable(text)) return text;
  return text.replaceAll("\0", "").slice(0, most).toWellFormed();
}

/**
 * Returns the text in the normal form NFKC, or undefined if it has more than `most` UTF-16 units, because normalising
 * combining marks takes quadratic time: 160,000 marks take 22 s.
 */
export const toNormalForm = (text: string, most: number): string | undefined =>
  text.length > most ? undefined : text.normalize("NFKC");
