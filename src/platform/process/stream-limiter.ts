import type { Readable } from "node:stream";
import { openSemaphore, type Semaphore } from "#platform/jobs/semaphore.ts";

// What is read from the database while it leaves keeps a connection for as long as its client takes. All of it goes
// through one door, or a few downloads that nobody reads would leave no connection to anybody else.

/**
 * Opens a stream when there is room for one more; it counts until it closes.
 * @throws {Problem} tooManyRequests when there is no room for a second.
 */
export interface StreamLimiter {
  (open: () => Readable | Promise<Readable>): Promise<Readable>;
  readonly semaphore: Pick<Semaphore, "count">;
}

/** A door for half of a pool's connections. */
export function openStreamLimiter(poolConnections: number): StreamLimiter {
  const semaphore = openSemaphore({
    permits: Math.floor(poolConnections / 2),
    maxWaiting: 200,
    // Most answers are gone in less: whoever looks at a page when others do need not hear of it.
    waitTimeoutMs: 1000,
    refusal: {
      detail: { zh: "其他导出正在进行，请稍后再试", en: "other exports are running, try again later" },
      headers: { "retry-after": "30" },
    },
  });
  const limit = async (open: () => Readable | Promise<Readable>): Promise<Readable> => {
    const release = await semaphore.acquire();
    try {
      const stream = await open();
      return stream.once("close", release);
    } catch (error) {
      release();
      throw error;
    }
  };
  return Object.assign(limit, { semaphore });
}
