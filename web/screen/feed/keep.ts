/** What was read, with the parts that have not changed as they were: what shows them has nothing to do then. */
export function keepUnchanged<T extends object>(before: T | undefined, read: T): T {
  if (!before) return read;
  const kept = Object.entries(read).map(([name, part]) => {
    const last: unknown = before[name as keyof T];
    return [name, JSON.stringify(last) === JSON.stringify(part) ? last : part];
  });
  return Object.fromEntries(kept) as T;
}
