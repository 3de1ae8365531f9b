import * as z from "zod";
import { traitsOf } from "#platform/contract/wire.ts";

export type JsonSchema = Record<string, unknown>;

type Target = Parameters<NonNullable<z.core.ToJSONSchemaParams["override"]>>[0];

const localPrefix = "#/$defs/";
const hoistedPrefix = "#/components/schemas/";

export class SchemaWriter {
  readonly hoisted: Record<string, JsonSchema> = {};

  write(schema: z.ZodType, io: "input" | "output", place: string): JsonSchema {
    const override = (target: Target) => tidy(target, io === "output");
    const written = z.toJSONSchema(schema, { io, target: "draft-2020-12", unrepresentable: "any", override });
    const { $schema: _, $defs = {}, ...root } = written as JsonSchema;
    const rename = (reference: string): string => {
      if (reference === "#") return hoistedPrefix + place;
      if (!reference.startsWith(localPrefix)) return reference;
      return `${hoistedPrefix}${place}_${clean(reference.slice(localPrefix.length))}`;
    };
    for (const [name, definition] of Object.entries($defs as Record<string, JsonSchema>))
      this.hoisted[`${place}_${clean(name)}`] = relink(definition, rename) as JsonSchema;
    const linked = relink(root, rename) as JsonSchema;
    if (!JSON.stringify(linked).includes(`"${hoistedPrefix}${place}"`)) return linked;
    this.hoisted[place] = linked;
    return { $ref: `${hoistedPrefix}${place}` };
  }
}

const mostInt32 = 2 ** 31 - 1;
const isInt32 = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) <= mostInt32 && (value as number) >= -mostInt32 - 1;

function tidyNumber(jsonSchema: Target["jsonSchema"]): void {
  const values: unknown[] = jsonSchema.enum ?? ("const" in jsonSchema ? [jsonSchema.const] : []);
  if (values.length > 0 && values.every(isInt32)) Object.assign(jsonSchema, { type: "integer", format: "int32" });
  if (jsonSchema.type !== "integer") return;
  const { minimum, maximum } = jsonSchema;
  if (maximum === Number.MAX_SAFE_INTEGER) jsonSchema.format ??= "int64";
  else if (isInt32(minimum) && isInt32(maximum)) jsonSchema.format ??= "int32";
  if (minimum === Number.MIN_SAFE_INTEGER || minimum === -mostInt32 - 1) delete jsonSchema.minimum;
  if (maximum === Number.MAX_SAFE_INTEGER || maximum === mostInt32) delete jsonSchema.maximum;
}

const unreadTypes = {
  id: { type: "integer", format: "int64" },
  text: { type: "string" },
  boolean: { type: "boolean" },
} as const;

function tidy({ zodSchema, jsonSchema }: Target, isOutput: boolean): void {
  tidyNumber(jsonSchema);
  for (const [name, kind] of Object.entries(traitsOf(zodSchema).unread ?? {}))
    (jsonSchema.properties ??= {})[name] = { ...unreadTypes[kind], description: "Accepted but ignored" };
  const hasCatchall = zodSchema instanceof z.ZodObject && zodSchema.def.catchall !== undefined;
  if (isOutput && jsonSchema.additionalProperties === false && !hasCatchall) delete jsonSchema.additionalProperties;
  // Zod drops the examples of transformed schemas, but ours can be kept because they always show the wire format.
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (Array.isArray(examples) && !jsonSchema.$ref) jsonSchema.examples = examples;
}

const clean = (name: string): string => name.replaceAll(/[^A-Za-z0-9.-]/g, "");

function relink(value: unknown, rename: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((part) => relink(part, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === "$ref" && typeof part === "string" ? rename(part) : relink(part, rename),
    ]),
  );
}
