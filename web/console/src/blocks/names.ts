// Names as people look for them in a list: Chinese by its sound, figures in it by their value.
const collator = new Intl.Collator("zh-u-co-pinyin", { numeric: true });

/** Orders two names by pinyin; for sorting. */
export const compareNames = (one: string, other: string): number => collator.compare(one, other);
