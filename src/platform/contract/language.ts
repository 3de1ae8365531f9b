/** The languages of messages; a text for people has both. */
export type Language = "zh" | "en";
export type Bilingual = Readonly<Record<Language, string>>;

/** What a header such as Accept prefers, each with its weight. */
export const readPreferences = (header: string): { name: string; weight: number }[] =>
  header
    .slice(0, 500)
    .split(",")
    .map((part) => {
      const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return { name, weight: weight === undefined ? 1 : Number(weight) || 0 };
    });

/** Chinese, unless the header of the request prefers English to it. */
export function chooseLanguage(acceptLanguage: string | undefined): Language {
  if (!acceptLanguage) return "zh";
  let [zh, en] = [0, 0];
  for (const { name, weight } of readPreferences(acceptLanguage)) {
    if (/^en(?:-|$)/.test(name)) en = Math.max(en, weight);
    else if (/^zh(?:-|$)/.test(name)) zh = Math.max(zh, weight);
  }
  return en > zh ? "en" : "zh";
}
