import * as z from "zod";
import type { Bilingual, Language } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import { type Complaint, traitsOf } from "#platform/contract/wire.ts";

// Input is normalised before validation: "" or null may stand for an omitted optional field, and in queries and forms,
// numbers, booleans and lists are texts. Nothing else is converted, so wrong types are rejected. INPUT_STYLE=lenient
// also accepts known mistakes of old pages.

export interface ReadingStyle {
  readonly source: "json" | "query" | "text";
  readonly lenient?: { readonly zone: string } | undefined;
}

type Prepare = (value: unknown) => unknown;
type Def = z.core.$ZodTypeDef & {
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  values?: unknown[];
  format?: string;
};

const same: Prepare = (value) => value;
const decimalPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
// The texts of integers are checked by a pattern, because Number would round 1.00000000000000000001 to 1.
const integerPattern = /^-?(?:0|[1-9]\d*)$/;
const largestPageSize = 1000;

const defOf = (schema: z.core.$ZodType): Def => schema._zod.def;

function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType, in: input } = defOf(schema);
  const below = innerType ?? input;
  return below ? innermost(below) : schema;
}

/** Whether the schema is `nullable`, even inside `optional`, so that null is a value and not an omitted field. */
function takesNull(schema: z.core.$ZodType): boolean {
  const { type, innerType } = defOf(schema);
  return type === "nullable" || (innerType !== undefined && takesNull(innerType));
}

function findNumberPattern(schema: z.core.$ZodType): RegExp | undefined {
  const { type, values, format } = defOf(schema);
  if (type === "literal") return values?.every(Number.isInteger) === true ? integerPattern : undefined;
  if (type !== "number") return undefined;
  return format === "safeint" ? integerPattern : decimalPattern;
}

function compile(outer: z.core.$ZodType, style: ReadingStyle, name = ""): Prepare {
  const schema = innermost(outer);
  const { type, shape, element, values } = defOf(schema);
  if (type === "object" && shape) {
    const fields = Object.entries(shape).map(([key, field]) => prepareField(key, field, style));
    return (value) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
      const prepared: Record<string, unknown> = {};
      for (const field of fields) field(value as Record<string, unknown>, prepared);
      return prepared;
    };
  }
  if (type === "array" && element) return prepareArray(name, schema, compile(element, style), style);
  const { lenient } = style;
  const fromText = isText(style) || lenient !== undefined;
  const pattern = fromText ? findNumberPattern(schema) : undefined;
  if (pattern) {
    // A fraction becomes a number too, so that an integer's field complains about the fraction and not about a text.
    const isNumber = (text: string) => pattern.test(text) || (decimalPattern.test(text) && Number(text) % 1 !== 0);
    return (value) => (typeof value === "string" && isNumber(value) ? Number(value) : value);
  }
  if (fromText && type === "boolean") return (value) => (value === "true" ? true : value === "false" ? false : value);
  const takesText = type === "string" || type === "enum" || (type === "literal" && typeof values?.[0] === "string");
  if (!lenient || !takesText) return same;
  const read = traitsOf(schema).readLeniently ?? same;
  // An integer beyond 2^53 has lost digits already, so it stays a number and is rejected.
  return (value) =>
    typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER
      ? String(value)
      : typeof value === "string"
        ? read(value, lenient.zone)
        : value;
}

const isText = ({ source }: ReadingStyle): boolean => source !== "json";

function prepareArray(name: string, schema: z.core.$ZodType, element: Prepare, style: ReadingStyle): Prepare {
  const most = (schema._zod.bag as { maximum?: number }).maximum ?? Number.POSITIVE_INFINITY;
  const where = name === "" ? "" : `${name}: `;
  const [fromText, nothings] = [isText(style), listNothings(style)];
  return (value) => {
    // The number of entries is checked first, because a million entries would each be parsed and reported.
    if (Array.isArray(value) && value.length > most)
      throw explain("badFormat", `${where}最多${most}项`, `${where}at most ${most} entries`);
    if (!fromText) return Array.isArray(value) ? value.map(element) : value;
    // A query may spell a list as ids=1&ids=2, ids[]=1 or ids=1,2.
    return (Array.isArray(value) ? value : [value])
      .flatMap((part: unknown) => (typeof part === "string" ? part.split(",") : [part]))
      .filter((part) => part !== "" && !nothings.includes(part))
      .map(element);
  };
}

/** In queries, old pages send these texts for variables that have no value. */
const listNothings = ({ source, lenient }: ReadingStyle): readonly unknown[] =>
  lenient !== undefined && source === "query" ? ["undefined", "null"] : [];

type Field = (given: Record<string, unknown>, prepared: Record<string, unknown>) => void;

function prepareField(key: string, schema: z.core.$ZodType, style: ReadingStyle): Field {
  const prepare = compile(schema, style, key);
  const optional = schema._zod.optin !== undefined;
  const emptyIsLeftOut = optional && (isText(style) || !traitsOf(innermost(schema)).isFree);
  const nullIsLeftOut = optional && !takesNull(schema);
  const isTextList = isText(style) && defOf(innermost(schema)).type === "array";
  const alias = isTextList ? `${key}[]` : undefined;
  const nothings = listNothings(style);
  const cut = style.lenient !== undefined && key === "pageSize";
  return (given, prepared) => {
    const value = given[key] ?? (alias && given[alias]) ?? given[key];
    if (value === undefined || (nullIsLeftOut && value === null) || (emptyIsLeftOut && value === "")) return;
    if (nothings.includes(value)) return;
    const ready = prepare(value);
    if (isTextList && optional && Array.isArray(ready) && ready.length === 0) return;
    prepared[key] = cut && typeof ready === "number" ? Math.min(ready, largestPageSize) : ready;
  };
}

const locales = { zh: z.locales.zhCN().localeError, en: z.locales.en().localeError };

const complaintOf = (issue: { code?: string; params?: Record<string, unknown> | undefined }): Complaint | undefined =>
  issue.code === "custom" ? (issue.params?.["complaint"] as Complaint | undefined) : undefined;

const typeNames: Readonly<Record<string, Bilingual>> = {
  number: { zh: "数字", en: "a number" },
  int: { zh: "整数", en: "a whole number" },
  string: { zh: "文本", en: "text" },
  boolean: { zh: "true 或 false", en: "true or false" },
  array: { zh: "数组", en: "an array" },
  object: { zh: "对象", en: "an object" },
};

function wordIssue(issue: z.core.$ZodRawIssue): Bilingual | undefined {
  const complaint = complaintOf(issue);
  if (complaint || issue.code !== "invalid_type") return complaint;
  if (issue.input === undefined) return { zh: "不能缺少", en: "is missing" };
  const type = typeNames[issue.expected];
  return type && { zh: `应为${type.zh}`, en: `must be ${type.en}` };
}

const errorMaps: Record<Language, z.core.$ZodErrorMap> = {
  zh: (issue) => wordIssue(issue)?.zh ?? locales.zh(issue),
  en: (issue) => wordIssue(issue)?.en ?? locales.en(issue),
};

const where = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key)),
    "",
  );

const shownIssues = 3;

/**
 * Returns a function that normalises and validates a value. The function throws badFormat, tooLong or the problem that
 * a check names, with up to three messages.
 */
export function compileReader<S extends z.ZodType>(schema: S, style: ReadingStyle): (value: unknown) => z.output<S> {
  const prepare = compile(schema, style);
  const say = (value: unknown, language: Language): string => {
    const told = schema.safeParse(value, { error: errorMaps[language] }).error?.issues ?? [];
    return told
      .slice(0, shownIssues)
      .map(({ path, message }) => (path.length > 0 ? `${where(path)}: ${message}` : message))
      .join("; ");
  };
  return (value) => {
    const prepared = prepare(value);
    const result = schema.safeParse(prepared);
    if (result.success) return result.data;
    const [first] = result.error.issues;
    const problem = (first && complaintOf(first)?.problem) ?? "badFormat";
    throw explain(problem, say(prepared, "zh"), say(prepared, "en"));
  };
}
