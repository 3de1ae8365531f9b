/**
 * The text in Unicode's compatibility form (NFKC), or undefined for one of more than `most` UTF-16 units: a run of
 * combining marks is put in order in the square of its length, and 160,000 of them take 22 s.
 */
export const toNormalForm = (text: string, most: number): string | undefined =>
  text.length > most ? undefined : text.normalize("NFKC");
