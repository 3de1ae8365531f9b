import { Decided, OneOf, type Shape } from "./documented.ts";

const mostInt32 = 2 ** 31 - 1;

const holds: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  int64: Number.isSafeInteger,
  int32: (value) => Number.isInteger(value) && Math.abs(value as number) <= mostInt32,
  time: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(value),
};

/**
 * Returns how the value deviates from the shape. Decisions that permit a deviation from the documents are added to
 * `decisions`.
 */
export function findDifferences(value: unknown, shape: Shape, decisions: Set<string>, place = "data"): string[] {
  if (typeof shape === "string") return holds[shape]?.(value) ? [] : [`${place} is no ${shape}: ${tell(value)}`];
  if (shape instanceof Decided) {
    decisions.add(shape.decision);
    return findDifferences(value, shape.shape, decisions, place);
  }
  if (shape instanceof OneOf) {
    const fits = shape.values.some((one) => one === value || (isShape(one) && fitsShape(value, one)));
    return fits ? [] : [`${place} is none of ${tell(shape.values)}: ${tell(value)}`];
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${place} is no list: ${tell(value)}`];
    return value.flatMap((one, index) => findDifferences(one, shape[0] as Shape, decisions, `${place}[${index}]`));
  }
  return findFieldDifferences(value, shape as Readonly<Record<string, Shape>>, decisions, place);
}

const isShape = (value: unknown): value is Shape => typeof value === "object" || Object.hasOwn(holds, String(value));
const fitsShape = (value: unknown, shape: Shape | null): boolean =>
  shape !== null && findDifferences(value, shape, new Set()).length === 0;

function findFieldDifferences(
  value: unknown,
  fields: Readonly<Record<string, Shape>>,
  decisions: Set<string>,
  place: string,
): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [`${place} is no object: ${tell(value)}`];
  const given = value as Record<string, unknown>;
  const strange = Object.keys(given).filter((name) => !Object.hasOwn(fields, name));
  return [
    ...strange.map((name) => `${place}.${name} stands in no document`),
    ...Object.entries(fields).flatMap(([name, shape]) =>
      Object.hasOwn(given, name)
        ? findDifferences(given[name], shape, decisions, `${place}.${name}`)
        : [`${place}.${name} is missing`],
    ),
  ];
}

const tell = (value: unknown): string => JSON.stringify(value)?.slice(0, 80) ?? "undefined";
