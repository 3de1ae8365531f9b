import { recall, useRemembered } from "#shared/remembered.ts";

/** The user's choice, else the first of the browser's languages that is Chinese or English, else Chinese. */
export type Language = "zh" | "en";

const key = "language";
const standard: Language =
  navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag === "zh" || tag === "en") ?? "zh";

export const useLanguage = (): readonly [Language, (language: Language) => void] =>
  useRemembered<Language>(key, standard);

export const currentLanguage = (): Language => recall<Language>(key, standard);

type Pair = readonly [unknown, unknown];

interface Table {
  readonly [key: string]: Pair | ((...given: never[]) => Pair) | Table;
}

type Said<T> = T extends readonly [infer Z, infer E] ? Widened<Z | E> : Widened<T>;
type Widened<T> = T extends string ? string : T;

type InOne<T> = {
  readonly [K in keyof T]: T[K] extends Pair
    ? Said<T[K]>
    : T[K] extends (...given: infer A) => infer P
      ? (...given: A) => Said<P>
      : InOne<T[K]>;
};

type Texts<T> = Readonly<Record<Language, T>>;

/**
 * Declares each text as [Chinese, English]; a text with parameters is a function.
 * @returns a hook that returns the texts in the page's language; its properties `zh` and `en` are the texts of each
 * language
 */
export function defineTexts<const T extends Table>(table: T): (() => InOne<T>) & Texts<InOne<T>> {
  const texts = { zh: inOne(table, 0), en: inOne(table, 1) } as Texts<InOne<T>>;
  return Object.assign(() => texts[useLanguage()[0]], texts);
}

const inOne = (table: Table, at: 0 | 1): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(table).map(([key, value]) => [
      key,
      isPair(value)
        ? value[at]
        : typeof value === "function"
          ? (...given: never[]) => value(...given)[at]
          : inOne(value, at),
    ]),
  );

const isPair = (value: Table[string]): value is Pair => Array.isArray(value);
