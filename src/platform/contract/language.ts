export type Language = "zh" | "en";
export type Bilingual = Readonly<Record<Language, string>>;

export function chooseLanguage(acceptLanguage: string | undefined): Language {
  if (!acceptLanguage) return "zh";
  let [zh, en] = [0, 0];
  for (const part of acceptLanguage.slice(0, 500).toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = Number(parameters.find((one) => one.startsWith("q="))?.slice(2) ?? 1) || 0;
    if (/^en(?:-|$)/.test(name)) en = Math.max(en, weight);
    else if (/^zh(?:-|$)/.test(name)) zh = Math.max(zh, weight);
  }
  return en > zh ? "en" : "zh";
}

/** Writes an English count, as in "1 row" and "12 rows". */
export const countOf = (count: number | string, one: string, many = `${one}s`): string =>
  `${count} ${String(count) === "1" ? one : many}`;
