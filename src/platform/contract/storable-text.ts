// PostgreSQL's text and JSON cannot store NUL or lone surrogates.

export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** Removes NUL, replaces lone surrogates by U+FFFD and truncates to `most` UTF-16 units. */
export function toStorable(text: string, most = Number.POSITIVE_INFINITY): string {
  if (text.length <= most && isStorable(text)) return text;
  return text.replaceAll("\0", "").slice(0, most).toWellFormed();
}

/**
 * Returns undefined for more than `most` UTF-16 units, because ordering combining marks takes quadratic time: 160,000
 * take 22 s.
 */
export const toNormalForm = (text: string, most: number): string | undefined =>
  text.length > most ? undefined : text.normalize("NFKC");
