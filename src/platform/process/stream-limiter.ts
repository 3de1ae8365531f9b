import type { Readable } from "node:stream";
import { openSemaphore, type Semaphore } from "#platform/jobs/semaphore.ts";

// A streamed answer uses a database connection until its client has read all of it. All streams share one limit,
// because otherwise a few unread downloads would use up the pool.

/**
 * Opens a stream once a slot is free; the stream occupies the slot until it closes.
 * @throws {Problem} tooManyRequests if no slot becomes free within a second, or 200 streams are already waiting
 */
export interface StreamLimiter {
  (open: () => Readable | Promise<Readable>): Promise<Readable>;
  readonly semaphore: Pick<Semaphore, "count">;
}

export function openStreamLimiter(poolConnections: number): StreamLimiter {
  const semaphore = openSemaphore({
    permits: Math.floor(poolConnections / 2),
    maxWaiting: 200,
    // Most streams take less time than this, so nobody is refused during a brief shortage.
    waitTimeoutMs: 1000,
    refusal: {
      detail: { zh: "当前导出任务较多，请稍后再试", en: "too many exports are in progress; try again later" },
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
