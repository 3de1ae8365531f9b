import { Problem } from "#platform/contract/problem.ts";
import type { Platform } from "#platform/process/platform.ts";

/** A line of the log tells how many were refused in so long, in ms: a line each would be work of its own. */
const gatherMs = 1000;

/**
 * What every call passes before anything is done for it, its token and its body included.
 * @returns a function that throws {Problem} unavailable when the process cannot begin it soon
 */
export function watchOverload({ pool, log }: Pick<Platform, "pool" | "log">): () => Promise<void> {
  let refused = 0;
  const tell = (): void => {
    log.warn({ refused }, "too much at once: requests were refused");
    refused = 0;
  };
  return async () => {
    if (await pool.mayBegin()) return;
    if (refused++ === 0) setTimeout(tell, gatherMs).unref();
    throw new Problem("unavailable", { headers: { "retry-after": "2" } });
  };
}
