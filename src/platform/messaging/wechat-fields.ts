/** For each value, the types of the template fields that it fits. WeChat rejects a value in a field of another type. */
const carriers = {
  verdict: ["phrase", "thing"],
  ps: ["thing"],
  entryName: ["thing"],
  time: ["time", "date", "thing", "character_string"],
} as const;

export type TemplateValue = keyof typeof carriers;

const isTemplateValue = (text: string): text is TemplateValue => Object.hasOwn(carriers, text);

/**
 * Parses a list such as `phrase1=verdict,thing2=ps`.
 * @throws {Error} with a message for the operator
 */
export function parseTemplateFields(text: string): Record<string, TemplateValue> {
  const pairs = text.split(",").map((pair): [string, TemplateValue] => {
    const [key = "", value = "", ...rest] = pair.split("=").map((part) => part.trim());
    if (!/^[a-z_]+\d+$/.test(key) || !isTemplateValue(value) || rest.length > 0)
      throw new Error(
        `must be pairs such as phrase1=verdict,thing2=ps with the values ${Object.keys(carriers).join(", ")}`,
      );
    const allowed: readonly string[] = carriers[value];
    if (!allowed.includes(readPrefix(key)))
      throw new Error(`field ${key} cannot contain ${value}; use one of ${allowed.join(", ")}`);
    return [key, value];
  });
  return Object.fromEntries(pairs);
}

const readPrefix = (key: string): string => key.replace(/\d+$/, "");

/** WeChat rejects empty values, so this text replaces an empty `thing`. */
const nothing = "无";
const mostThingChars = 20;

/**
 * Makes a text fit its field, because WeChat rejects the whole message if one value does not fit (47003). A `thing` is
 * shortened, a `time` or `date` is written in Chinese, and other fields stay unchanged.
 */
export function shapeField(key: string, text: string): string {
  const prefix = readPrefix(key);
  if (prefix === "thing") {
    const line = text.toWellFormed().replaceAll(/[\s\p{Control}]+/gu, " ");
    return cut(line.trim()) || nothing;
  }
  if (prefix !== "time" && prefix !== "date") return text;
  const [found, year, month, day, clock] = /^(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d)/.exec(text) ?? [];
  if (found === undefined) return text;
  return `${year}年${Number(month)}月${Number(day)}日 ${clock}`;
}

/** Counts code points as WeChat does, and splits no grapheme. */
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
