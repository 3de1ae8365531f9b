import fc from "fast-check";
import type * as z from "zod";
import { type JsonSchema, SchemaWriter } from "#platform/openapi/schema.ts";

// Input is generated as templates. A placeholder in a template selects a value of an earlier answer, with a fallback,
// so that a seed gives the same templates whatever the server answers.

const marker = Symbol("known");

interface Known {
  readonly [marker]: string;
  readonly index: number;
  readonly otherwise: unknown;
}

export type Recall = (field: string, index: number) => unknown;

const isKnown = (value: object): value is Known => marker in value;

export function fillIn(template: unknown, recall: Recall): unknown {
  if (typeof template !== "object" || template === null) return template;
  if (isKnown(template)) return recall(template[marker], template.index) ?? fillIn(template.otherwise, recall);
  if (Array.isArray(template)) return template.map((part) => fillIn(part, recall));
  return Object.fromEntries(Object.entries(template).map(([key, part]) => [key, fillIn(part, recall)]));
}

/** Returns templates of data that satisfies the schema, as far as JSON Schema can express it. */
export function templatesOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  const writer = new SchemaWriter();
  const root = writer.write(schema, "input", "root");
  return templates(root, "", { named: writer.hoisted, depth: 0 });
}

/** All id fields of a service share one name in the memory of known values. */
export const toKnownName = (field: string): string => (/(?:^id|Id|ID|^ids|Ids)$/.test(field) ? "id" : field);

interface Place {
  readonly named: Readonly<Record<string, JsonSchema>>;
  readonly depth: number;
}

const mostDepth = 4;

function templates(schema: JsonSchema, field: string, place: Place): fc.Arbitrary<unknown> {
  if (typeof schema["$ref"] === "string")
    return templates(place.named[schema["$ref"].split("/").at(-1) ?? ""] ?? {}, field, deeper(place));
  if ("const" in schema) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices))
    return fc.oneof(...choices.map((choice) => templates(choice as JsonSchema, field, deeper(place))));
  switch (schema["type"]) {
    case "object":
      return objects(schema, place);
    case "array":
      return arrays(schema, field, place);
    case "integer":
    case "number":
      return orKnown(numbers(schema), field, 4);
    case "string":
      return orKnown(texts(schema), field, 1);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.oneof(fc.constant(null), fc.boolean(), fc.nat(9), fc.constant("anything"));
  }
}

const deeper = ({ named, depth }: Place): Place => ({ named, depth: depth + 1 });

function objects(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  place: Place,
): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties as Record<string, JsonSchema>);
  const needed = new Set(required as string[]);
  const kept = place.depth < mostDepth ? fields : fields.filter(([name]) => needed.has(name));
  const fixed = fc.record(
    Object.fromEntries(kept.map(([name, schema]) => [name, templates(schema, name, deeper(place))])),
    {
      requiredKeys: kept.map(([name]) => name).filter((name) => needed.has(name)),
    },
  );
  if (fields.length > 0 || typeof additionalProperties !== "object") return fixed;
  return fc.dictionary(
    fc.string({ minLength: 1, maxLength: 6 }),
    templates(additionalProperties as JsonSchema, "", deeper(place)),
    { maxKeys: 3, noNullPrototype: true },
  );
}

function arrays(
  { items = {}, minItems = 0, maxItems = 4 }: JsonSchema,
  field: string,
  place: Place,
): fc.Arbitrary<unknown> {
  const least = Number(minItems);
  const most = Math.max(least, Math.min(Number(maxItems), place.depth < mostDepth ? 4 : least));
  // An array that is not in a field is taken for a list of ids.
  const item = templates(items as JsonSchema, field === "" ? "id" : field, deeper(place));
  return fc.array(item, { minLength: least, maxLength: most });
}

function numbers({
  type,
  minimum = Number.MIN_SAFE_INTEGER,
  maximum = Number.MAX_SAFE_INTEGER,
}: JsonSchema): fc.Arbitrary<number> {
  const [min, max] = [Number(minimum), Number(maximum)];
  const least = Math.ceil(Math.max(min, 0));
  const small = fc.integer({ min: least, max: Math.floor(Math.min(max, least + 20)) });
  const edges = fc.constantFrom(min, max);
  if (type === "integer")
    return fc.oneof(
      { weight: 8, arbitrary: small },
      { weight: 1, arbitrary: edges },
      { weight: 1, arbitrary: fc.integer({ min, max }) },
    );
  return fc.oneof({ weight: 4, arbitrary: small }, { weight: 1, arbitrary: fc.double({ min, max, noNaN: true }) });
}

const orKnown = (otherwise: fc.Arbitrary<unknown>, field: string, weight: number): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 2, arbitrary: otherwise },
    {
      weight,
      arbitrary: fc
        .record({ index: fc.nat(999), otherwise })
        .map((known) => ({ [marker]: toKnownName(field), ...known })),
    },
  );

const names = ["李四", "王五", "Ada", "欧阳娜娜", "黄家湖", "2026", "0", "1", "true"];
// Texts that often break programs: patterns, quotes, formulas, markup, a right-to-left override, joined emoji and
// others.
const awkward = [
  "%",
  "_",
  "\\",
  "' or 1=1 --",
  '"',
  "{{7*7}}",
  "${x}",
  "=1+1",
  "<img src=x>",
  "\u202eabc",
  "👩‍👩‍👧‍👦",
  "a\u0300",
  "ﬀ",
  "İ",
  "\u2028",
  " ",
  "\t",
  "\r\n",
  "../../x",
  "null",
  "\ufeff",
  "\uffff",
  "𠮷",
];

function texts(schema: JsonSchema): fc.Arbitrary<string> {
  const least = Number(schema["minLength"] ?? 0);
  const most = Number(schema["maxLength"] ?? 40);
  const examples = Array.isArray(schema["examples"]) ? (schema["examples"] as unknown[]).map(String) : [];
  if (examples.length > 0 && examples.every((example) => /^\d{4}-\d\d-\d\d$/.test(example)))
    return fc.oneof({ weight: 6, arbitrary: days }, { weight: 1, arbitrary: fc.constantFrom(...farDays) });
  if (examples.some((example) => /^\d{4}-\d\d-\d\d/.test(example))) return moments(examples);
  if (examples.length > 0) return fc.constantFrom(...examples);
  const fits = (text: string) => [...text].length >= least && [...text].length <= most;
  const pattern = schema["pattern"];
  if (typeof pattern === "string") return patterned(pattern).filter(fits);
  const free = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...names) },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
    { weight: 2, arbitrary: fc.constantFrom(...awkward) },
    { weight: 1, arbitrary: fc.constantFrom("字", "x", "👍").map((one) => one.repeat(Math.min(most, 70_000))) },
  );
  return free.map((text) => (fits(text) ? text : [...text.padEnd(least, "x")].slice(0, most).join("")));
}

// For a pattern that fast-check cannot parse, the text consists of letters and digits and may not match the pattern.
function patterned(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern));
  } catch {
    return fc.stringMatching(/^[A-Za-z0-9]{1,20}$/);
  }
}

const two = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((n) => String(n).padStart(2, "0"));
const days = fc
  .tuple(fc.constantFrom("2025", "2026", "2026", "2026"), two(1, 12), two(1, 28))
  .map((parts) => parts.join("-"));
const clockTimes = fc.tuple(two(0, 23), two(0, 59), two(0, 59)).map((parts) => parts.join(":"));
const seconds = fc.tuple(days, clockTimes).map((parts) => parts.join(" "));
const farDays = ["0000-01-01", "1000-01-01", "9999-12-31", "2024-02-29", "2025-02-29", "2026-11-31"];
const farMoments = [
  "0000-01-01 00:00:00",
  "0001-01-01 00:00:00",
  "9999-12-31 23:59:59",
  "1582-10-10 00:00:00",
  "1970-01-01 00:00:00",
  "1991-04-14 00:30:00",
  "2024-02-29 23:59:60",
  "2025-02-29 00:00:00",
];

function moments(examples: string[]): fc.Arbitrary<string> {
  const isPeriod = examples.some((example) => !example.includes(" "));
  if (!isPeriod)
    return fc.oneof({ weight: 6, arbitrary: seconds }, { weight: 1, arbitrary: fc.constantFrom(...farMoments) });
  const one = fc.oneof(fc.constantFrom(...examples, "0000", "9999", "9999-12-31", "0000-01-01"), days, seconds);
  return fc.oneof(
    one,
    fc.tuple(one, one).map((both) => both.join(",")),
  );
}
