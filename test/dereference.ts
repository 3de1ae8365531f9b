/** Returns a copy in which each `$ref` is replaced by what it refers to, except recursive references. */
export function dereference<T extends object>(document: T): T {
  const copy = (value: unknown, within: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((part) => copy(part, within));
    if (typeof value !== "object" || value === null) return value;
    if (!("$ref" in value))
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part, within)]));
    const reference = String(value.$ref);
    return within.includes(reference) ? value : copy(findTarget(document, reference), [...within, reference]);
  };
  return copy(document, []) as T;
}

export function findTarget(document: object, reference: string): unknown {
  const keys = reference.split("/").slice(1);
  const target = keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
  if (target === undefined) throw new Error(`${reference} leads to nothing`);
  return target;
}
