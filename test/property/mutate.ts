import fc from "fast-check";

// Each damage puts one fault into valid input.

const wrongValues = {
  null: null,
  true: true,
  empty: "",
  blank: "  ",
  emoji: "🧨👩‍🚀",
  nul: "a\0b",
  loneSurrogate: "a\ud800",
  otherSurrogate: "\udc00b",
  numberText: "12",
  infinite: "Infinity",
  twoToThe63: 9_223_372_036_854_775_808,
  beyondSafe: 9_007_199_254_740_992,
  huge: 1e308,
  minusOne: -1,
  minusZero: -0,
  zero: 0,
  half: 1.5,
  list: [],
  listOfNull: [null],
  nested: [[[[1]]]],
  object: {},
  objectWithText: { toString: "x", length: 3 },
} as const;

const waysOfPlace = [
  "missing",
  "tooLong",
  "muchTooLong",
  "wrapped",
  "unknownField",
  "constructorField",
  "manyItems",
  "twice",
] as const;

type Way = keyof typeof wrongValues | (typeof waysOfPlace)[number];

export interface Damage {
  readonly way: Way;
  readonly place: number;
}

export const damages: fc.Arbitrary<Damage> = fc.record({
  // `nul` and `loneSurrogate` occur more often than other ways, since PostgreSQL cannot store such values in a text.
  way: fc.constantFrom(...waysOfPlace, ...(Object.keys(wrongValues) as Way[]), "nul", "nul", "loneSurrogate"),
  place: fc.nat(999),
});

export function damage(value: unknown, { way, place }: Damage): unknown {
  const copy: { root: unknown } = { root: structuredClone(value) };
  const places = listPlaces(copy);
  const chosen = places[place % places.length];
  if (chosen) apply(chosen.holder, chosen.key, way);
  return copy.root;
}

type Holder = Record<string | number, unknown>;
interface ValuePlace {
  readonly holder: Holder;
  readonly key: string | number;
}

function listPlaces(value: object): ValuePlace[] {
  return Object.entries(value).flatMap(([key, part]) => {
    const place = { holder: value as Holder, key: Array.isArray(value) ? Number(key) : key };
    return typeof part === "object" && part !== null ? [place, ...listPlaces(part)] : [place];
  });
}

function apply(holder: Holder, key: string | number, way: Way): void {
  const value = holder[key];
  if (way in wrongValues) holder[key] = structuredClone(wrongValues[way as keyof typeof wrongValues]);
  else if (way === "missing") remove(holder, key);
  else if (way === "tooLong") holder[key] = "长".repeat(5000);
  else if (way === "muchTooLong") holder[key] = "x".repeat(300_000);
  else if (way === "wrapped") holder[key] = { value };
  else if (way === "twice") holder[key] = [value, value];
  else if (way === "manyItems")
    holder[key] = Array<unknown>(10_001).fill(toSmall(Array.isArray(value) ? value[0] : value));
  else addFields(typeof value === "object" && value !== null ? (value as Holder) : holder, way);
}

// An array of ten thousand items contains only numbers and short texts, since long texts would only test the memory of
// the client.
const toSmall = (value: unknown): unknown =>
  typeof value === "number" || (typeof value === "string" && value.length < 50) ? value : 1;

function remove(holder: Holder, key: string | number): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

function addFields(holder: Holder, way: Way): void {
  const own = (key: string, value: unknown) =>
    Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
  if (Array.isArray(holder)) return;
  if (way === "unknownField") own("noSuchField", { deep: ["x"] });
  else
    for (const key of ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString"])
      own(key, { isSuper: true, who: "anyone" });
}

const textWays = [
  "malformed",
  "truncated",
  "deep",
  "deepLists",
  "duplicateKeys",
  "protoKey",
  "notUtf8",
  "byteOrderMark",
  "onlyBlank",
  "twoMebibytes",
  "hugeNumber",
  "nothing",
] as const;
export type TextWay = (typeof textWays)[number];
export const textDamages = fc.constantFrom(...textWays);

const depth = 1000;

export function spoilText(json: string, way: TextWay): Buffer {
  const inObject = (first: string) => (json.startsWith("{") && json.length > 2 ? `{${first},${json.slice(1)}` : json);
  const texts: Record<Exclude<TextWay, "notUtf8">, () => string> = {
    malformed: () => `${json}}`,
    truncated: () => json.slice(0, Math.max(1, Math.floor(json.length / 2))),
    deep: () => inObject(`"deep":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`),
    deepLists: () => "[".repeat(depth) + "]".repeat(depth),
    duplicateKeys: () => inObject('"id":1,"id":"two","name":null,"name":"三","ids":{},"userName":7'),
    protoKey: () => inObject('"__proto__":{"isSuper":true},"constructor":{"prototype":{"x":1}}'),
    byteOrderMark: () => `\ufeff${json}`,
    onlyBlank: () => "  \n",
    twoMebibytes: () => inObject(`"filler":"${"x".repeat(2 * 1024 * 1024)}"`),
    hugeNumber: () => inObject('"id":1e999,"itemId":9223372036854775808'),
    nothing: () => "",
  };
  if (way === "notUtf8") return spoilBytes(inObject('"filler":"*"'));
  return Buffer.from(texts[way]());
}

function spoilBytes(json: string): Buffer {
  const bytes = Buffer.from(json);
  const star = bytes.indexOf("*");
  if (star >= 0) bytes[star] = 0xff;
  return bytes;
}

export const isUnreadable = (way: TextWay): boolean => ["malformed", "truncated", "onlyBlank", "nothing"].includes(way);
