/** What a word of the server's is called here; one that is not known, such as a user name, is shown as it is. */
export const nameOf = (names: Readonly<Record<string, string>>, word: string): string =>
  (Object.hasOwn(names, word) && names[word]) || word;
