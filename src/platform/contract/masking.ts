import type * as z from "zod";
import { type Personal, traitsOf } from "./wire.ts";

// Callers without the right to export see only the first and last characters of card numbers and phone numbers.

const endsOf: Readonly<Record<Personal, readonly [front: number, back: number]>> = { card: [4, 2], phone: [3, 4] };

function hide(text: string, kind: Personal): string {
  const [front, back] = endsOf[kind];
  const hidden = text.length - front - back;
  return hidden > 0 ? text.slice(0, front) + "*".repeat(hidden) + text.slice(-back) : "*".repeat(text.length);
}

export type Mask = (value: unknown) => unknown;

interface Def {
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
}

/**
 * Returns a function that masks personal values, or undefined if the schema marks no value with `personal` (wire.ts).
 */
export function compileMask(schema: z.core.$ZodType): Mask | undefined {
  const { personal } = traitsOf(schema);
  if (personal) return (value) => (typeof value === "string" ? hide(value, personal) : value);
  const { innerType, element, options, shape } = schema._zod.def as Def;
  if (innerType) return compileMask(innerType);
  if (element) return maskEach(compileMask(element));
  if (shape) return maskFields(shape);
  const masks = (options ?? []).flatMap((option) => compileMask(option) ?? []);
  return masks.length === 0 ? undefined : (value) => masks.reduce((masked, mask) => mask(masked), value);
}

const maskEach = (mask: Mask | undefined): Mask | undefined =>
  mask && ((value) => (Array.isArray(value) ? value.map(mask) : value));

function maskFields(shape: NonNullable<Def["shape"]>): Mask | undefined {
  const masks = new Map(Object.entries(shape).map(([field, schema]) => [field, compileMask(schema)]));
  if (![...masks.values()].some(Boolean)) return undefined;
  return (value) =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([field, own]) => [field, masks.get(field)?.(own) ?? own]));
}
