// Browsers limit the bodies of requests that outlive their page to 64 KiB.
const mostKeptBytes = 60_000;

/** Splits a call's items into batches that may each be sent by a call that outlives its page. */
export function splitToKeep<T>(items: readonly T[]): T[][] {
  const batches: T[][] = [[]];
  let bytes = 0;
  for (const item of items) {
    const own = new Blob([JSON.stringify(item)]).size + 1;
    if (bytes + own > mostKeptBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(item);
    bytes += own;
  }
  return batches;
}
