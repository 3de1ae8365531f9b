// Parts that occur more than once, mostly failures, are moved to the document's components and referenced.

type Kind = "responses" | "parameters" | "headers" | "schemas";

export type Components = Readonly<Record<Kind, Record<string, object>>>;

type Part = Readonly<Record<string, unknown>>;
type Change = (part: Part, kind: Kind, path: readonly string[]) => Part;

const kindsOfMembers: Readonly<Record<string, Kind>> = {
  responses: "responses",
  parameters: "parameters",
  headers: "headers",
  properties: "schemas",
  allOf: "schemas",
  anyOf: "schemas",
  oneOf: "schemas",
};
const kinds: Readonly<Record<string, Kind>> = { schema: "schemas", items: "schemas", additionalProperties: "schemas" };
/** The values of these keys are not shared, because they are not schemas or are already references. */
const leaves = new Set(["example", "examples", "default", "enum", "const", "required", "security", "tags"]);

// For a part with a shorter text, the reference might be longer than the part.
const leastLength = 70;

function mapParts(whole: Part, path: readonly string[], change: Change): Part {
  return mapValues(whole, (value, key) => {
    if (leaves.has(key)) return value;
    const members = kindsOfMembers[key];
    // The path to a parameter contains the parameter's `name` instead of its index.
    const nameOf = ({ name }: Part, key: string): string => (typeof name === "string" ? name : key);
    if (members) return mapValues(value, (member, key) => change(member, members, [...path, nameOf(member, key)]));
    const kind = kinds[key];
    const below = [...path, key];
    return kind ? change(value, kind, key === "items" ? below : path) : mapParts(value, path, change);
  });
}

function mapValues(whole: Part, map: (value: Part, key: string) => unknown): Part {
  const mapped = Object.entries(whole).map(([key, value]) => {
    const isPart = typeof value === "object" && value !== null;
    return [key, isPart ? map(value as Part, key) : value] as const;
  });
  return (Array.isArray(whole) ? mapped.map(([, value]) => value) : Object.fromEntries(mapped)) as Part;
}

const names: Readonly<Record<Kind, (path: readonly string[], part: Part) => string>> = {
  // Failure responses are named by their status and codes, such as 401-10006-10012; other responses by the path at
  // which they first occur.
  responses: (path, { description }) => {
    const codes = [...String(description).matchAll(/^- `(\d+)`/gm)].map(([, code]) => code);
    return [path.join(".").replace(/^.*\.(?=[45])/, ""), ...new Set(codes)].join("-");
  },
  parameters: (_path, { name }) => String(name),
  headers: (path) => path.at(-1) ?? "",
  schemas: (path) => path.join("."),
};

export function shareParts(
  operations: Readonly<Record<string, object>>,
  components: Components,
): Record<string, object> {
  const counts = new Map<string, number>();
  const count: Change = (part, kind, path) => {
    const text = kind + JSON.stringify(part);
    const before = counts.get(text) ?? 0;
    counts.set(text, before + 1);
    // A repeated part is shared as a whole, so the parts within it are not counted again.
    return before > 0 ? part : mapParts(part, path, count);
  };
  const references = new Map<string, Part>();
  const share: Change = (part, kind, path) => {
    const text = kind + JSON.stringify(part);
    if ((counts.get(text) ?? 0) < 2 || text.length < leastLength) return mapParts(part, path, share);
    const known = references.get(text);
    if (known) return known;
    const wanted = names[kind](path, part).replaceAll(/[^\w.-]/g, "");
    const taken = components[kind];
    let place = wanted;
    for (let count = 2; place in taken; count++) place = `${wanted}.${count}`;
    const reference = { $ref: `#/components/${kind}/${place}` };
    references.set(text, reference);
    taken[place] = part;
    taken[place] = mapParts(part, path, share);
    return reference;
  };
  const each = Object.entries(operations) as [string, Part][];
  const begin = ({ operationId }: Part) => [String(operationId)];
  for (const [, operation] of each) mapParts(operation, begin(operation), count);
  return Object.fromEntries(each.map(([place, operation]) => [place, mapParts(operation, begin(operation), share)]));
}
