/** What a verdict's message can say, and the kinds of field that can carry each: any other would be refused message by message. */
const carriers = {
  verdict: ["phrase", "thing"],
  ps: ["thing"],
  entryName: ["thing"],
  time: ["time", "date", "thing", "character_string"],
} as const;

export type TemplateValue = keyof typeof carriers;

const isTemplateValue = (text: string): text is TemplateValue => Object.hasOwn(carriers, text);

/**
 * Reads `phrase1=verdict,thing2=ps`: a template's key, such as `thing2`, to the value that it carries.
 * @throws Error with a message for the operator.
 */
export function parseTemplateFields(text: string): Record<string, TemplateValue> {
  const pairs = text.split(",").map((pair): [string, TemplateValue] => {
    const [key = "", value = "", ...rest] = pair.split("=").map((part) => part.trim());
    if (!/^[a-z_]+\d+$/.test(key) || !isTemplateValue(value) || rest.length > 0)
      throw new Error(
        `must be pairs such as phrase1=verdict,thing2=ps, of the values ${Object.keys(carriers).join(", ")}`,
      );
    const allowed: readonly string[] = carriers[value];
    if (!allowed.includes(readPrefix(key)))
      throw new Error(`field ${key} cannot carry ${value}; fields for it are ${allowed.join(", ")}`);
    return [key, value];
  });
  return Object.fromEntries(pairs);
}

/** The `thing` of `thing2`. */
const readPrefix = (key: string): string => key.replace(/\d+$/, "");

/** "None": the platform takes no empty value. */
const nothing = "无";
const mostThingChars = 20;

/**
 * A value within the limits of the template's field: one over them costs the whole message (47003). What people wrote
 * goes into a `thing` alone; verdicts and times are ours and fit.
 */
export function shapeField(key: string, text: string): string {
  const prefix = readPrefix(key);
  if (prefix === "thing") {
    // Line breaks and other control characters are not taken by any field.
    const line = text.toWellFormed().replaceAll(/[\s\p{Control}]+/gu, " ");
    return cut(line.trim()) || nothing;
  }
  if (prefix !== "time" && prefix !== "date") return text;
  // `2019-10-01 15:01:00` as `2019年10月1日 15:01`.
  const [, year, month, day, clock] = /^(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d)/.exec(text) ?? [];
  return `${year}年${Number(month)}月${Number(day)}日 ${clock}`;
}

/**
 * Cuts to a number of code points, as the platform counts, without splitting what a reader sees as one character:
 * a pair of surrogates, an accent on its letter, a family of joined emoji.
 */
function cut(text: string): string {
  if (count(text) <= mostThingChars) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter("zh", { granularity: "grapheme" }).segment(text)) {
    if (count(kept + segment) >= mostThingChars) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

const count = (text: string): number => Array.from(text).length;
