import { OutsideError } from "./outside-error.ts";

/** A value for one kind of field, or null when nothing honest can be made of the text. */
type Shape = (text: string) => string | null;

/** "None", in the one script that every field for free text takes. */
const nothing = "无";

/**
 * The platform's limits by key prefix (`thing` of `thing2`); a value over them costs the whole message (47003).
 * Free text is cut or cleaned; what would lie when cut (amounts, dates, plates) fits or is refused.
 */
const shapes: Record<string, Shape> = {
  thing: (text) => cut(text, 20, "…") || nothing,
  phrase: (text) => cut(text.replaceAll(/\P{Script=Han}/gu, ""), 5) || nothing,
  name: (text) => shapeName(text.replaceAll(/\p{Number}/gu, "")) || nothing,
  character_string: (text) => cut(text.replaceAll(/[^\x20-\x7e]/g, "").trim(), 32) || "-",
  symbol: (text) => cut(text.replaceAll(/[^\p{Punctuation}\p{Symbol}]/gu, ""), 5) || "-",
  letter: (text) => matching(text, /^[A-Za-z]{1,32}$/),
  number: (text) => matching(text, /^-?(?=[\d.]{1,32}$)\d+(\.\d+)?$/),
  amount: (text) => matching(text, /^[¥￥$€£]?\d{1,10}(\.\d+)?元?$/),
  phone_number: (text) => matching(text, /^[\d+()# -]{1,17}$/),
  car_number: (text) => matching(text, /^[\p{Script=Han}A-Z\d]{1,8}$/iu),
  time: (text) => toRange(text, toTime),
  date: (text) => toRange(text, toDate),
  // The values are listed in the template itself, which only the platform knows.
  enum: (text) => text || null,
  const: (text) => text || null,
};

/**
 * Shapes a value to the limits of the template's field.
 * @param key as the template has it: a prefix and a number, such as `thing2`. An unknown prefix is held to the limit of `thing`.
 * @throws OutsideError `refused` when the field cannot carry the text.
 */
export function shapeField(key: string, text: string): string {
  const shape = shapes[readPrefix(key)] ?? shapes.thing;
  const value = shape?.(toOneLine(text)) ?? null;
  if (value !== null) return value;
  throw new OutsideError(`field ${key} cannot carry the value`, {
    service: "wechat",
    kind: "refused",
    retryable: false,
  });
}

/** The `thing` of `thing2`. */
export function readPrefix(key: string): string {
  return key.replace(/\d+$/, "");
}

/** Line breaks and other control characters are not taken by any field. */
function toOneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\s\p{Control}]+/gu, " ")
    .trim();
}

/**
 * Cuts to a number of code points, as the platform counts, without splitting what a reader sees as one character:
 * a pair of surrogates, an accent on its letter, a family of joined emoji.
 * @param end put in the place of what was cut off.
 */
function cut(text: string, most: number, end = ""): string {
  if (count(text) <= most) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter("zh", { granularity: "grapheme" }).segment(text)) {
    if (count(kept + segment + end) > most) break;
    kept += segment;
  }
  return kept.trimEnd() + end;
}

function count(text: string): number {
  return Array.from(text).length;
}

/** Ten characters as soon as one is Chinese, twenty otherwise. */
function shapeName(text: string): string {
  return cut(text.trim(), /\p{Script=Han}/u.test(text) ? 10 : 20);
}

function matching(text: string, pattern: RegExp): string | null {
  return pattern.test(text) ? text : null;
}

/** Two points joined by `~` are a range. */
function toRange(text: string, toPoint: Shape): string | null {
  const points = text.split("~").map((point) => toPoint(point.trim()));
  return points.length <= 2 && points.every((point) => point !== null) ? points.join("~") : null;
}

const day = /^(\d{4})(?:-|年)(\d{1,2})(?:-|月)(\d{1,2})日?(?=$|[ T])/;
const timeOfDay = /(?:^|[ T])(\d{2}:\d{2})(?::\d{2})?$/;

/** `15:01`, or with the day before it `2019年10月1日 15:01`. */
function toTime(text: string): string | null {
  const clock = timeOfDay.exec(text)?.[1];
  if (clock === undefined) return null;
  return text.length <= "15:01:00".length ? clock : joinDay(text, ` ${clock}`);
}

/** `2019年10月1日`, or with the time after it `2019年10月1日 15:01`. */
function toDate(text: string): string | null {
  const clock = timeOfDay.exec(text)?.[1];
  if (clock === undefined && /[ T:]/.test(text)) return null;
  return joinDay(text, clock === undefined ? "" : ` ${clock}`);
}

function joinDay(text: string, rest: string): string | null {
  const [, year, month, date] = day.exec(text) ?? [];
  return year === undefined ? null : `${year}年${Number(month)}月${Number(date)}日${rest}`;
}
