import { z } from "zod";
import { readPrefix } from "./wechat-fields.ts";

/** What a verdict's message can say. */
export const templateValues = ["verdict", "ps", "entryName", "time"] as const;
export type TemplateValue = (typeof templateValues)[number];

/** Template key, such as `thing2`, to the value that it carries. */
export type TemplateFields = Record<string, TemplateValue>;

/** The kinds of field that can carry each value whatever it says: any other would be refused message by message. */
const carriers: Record<TemplateValue, readonly string[]> = {
  verdict: ["phrase", "thing"],
  ps: ["thing"],
  entryName: ["thing"],
  time: ["time", "date", "thing", "character_string"],
};

const fields = z.record(z.string().regex(/^[a-z_]+\d+$/), z.enum(templateValues));

/**
 * Reads `phrase1=verdict,thing2=ps`, or the same as a JSON object.
 * @throws Error with a message for the operator.
 */
export function parseTemplateFields(text: string): TemplateFields {
  const parsed = fields.safeParse(text.trimStart().startsWith("{") ? parseJson(text) : parsePairs(text));
  if (!parsed.success || Object.keys(parsed.data).length === 0) {
    throw new Error(`must be pairs such as phrase1=verdict,thing2=ps, of the values ${templateValues.join(", ")}`);
  }
  for (const [key, value] of Object.entries(parsed.data)) checkCarrier(key, value);
  return parsed.data;
}

function checkCarrier(key: string, value: TemplateValue): void {
  if (carriers[value].includes(readPrefix(key))) return;
  throw new Error(`field ${key} cannot carry ${value}; fields for it are ${carriers[value].join(", ")}`);
}

function parsePairs(text: string): Record<string, string> {
  const pairs = text.split(",").map((pair) => pair.split("=").map((part) => part.trim()));
  return Object.fromEntries(pairs.map(([key = "", ...value]) => [key, value.join("=")]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
