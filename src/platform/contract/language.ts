/** The languages of messages; a text for people has both. */
export type Language = "zh" | "en";
export type Bilingual = Readonly<Record<Language, string>>;

interface Preference {
  readonly tag: string;
  readonly weight: number;
}

function parsePreference(part: string): Preference {
  const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return { tag, weight: weight === undefined ? 1 : Number(weight) || 0 };
}

/** Chinese, unless the header of the request prefers English to it. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  if (!acceptLanguage) return "zh";
  const preferences = acceptLanguage.slice(0, 500).split(",").map(parsePreference);
  const weightOf = (language: Language) =>
    Math.max(
      0,
      ...preferences
        .filter(({ tag }) => tag === language || tag.startsWith(`${language}-`))
        .map(({ weight }) => weight),
    );
  return weightOf("en") > weightOf("zh") ? "en" : "zh";
}
