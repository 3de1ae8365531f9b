import { recall, useRemembered } from "#shared/remembered.ts";

/** What the browser prefers of the two, unless somebody chooses; Chinese when it knows neither, as the server does. */
export type Language = "zh" | "en";

const key = "language";
const standard: Language =
  navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag === "zh" || tag === "en") ?? "zh";

export const useLanguage = (): readonly [Language, (language: Language) => void] =>
  useRemembered<Language>(key, standard);

export const currentLanguage = (): Language => recall<Language>(key, standard);

/** The same table with whatever texts: what the other language must have. */
type Same<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...given: infer A) => string
      ? (...given: A) => string
      : Same<T[K]>;
};

/** The texts of one folder in both languages; a key that one lacks is a type error. */
export interface Texts<T> {
  readonly zh: T;
  readonly en: Same<T>;
}

export const defineTexts = <const T>(zh: T, en: Same<T>): Texts<T> => ({ zh, en });

/** The folder's texts in the language of the moment. */
export function useTexts<T>(texts: Texts<T>): Same<T> {
  const [language] = useLanguage();
  return texts[language] as Same<T>;
}

/** The same outside a component. */
export const currentTexts = <T>(texts: Texts<T>): Same<T> => texts[currentLanguage()] as Same<T>;
