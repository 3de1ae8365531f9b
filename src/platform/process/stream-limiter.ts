import type { Readable } from "node:stream";
import { openSemaphore, type Semaphore } from "#platform/jobs/semaphore.ts";

// A streamed answer holds a database connection for as long as its client reads. All streams share one limit, or a few
// unread downloads would exhaust the pool.

/**
 * The slot is held until the stream closes.
 * @throws {Problem} tooManyRequests if none is free after a second
 */
export interface StreamLimiter {
  (open: () => Readable | Promise<Readable>): Promise<Readable>;
  readonly semaphore: Pick<Semaphore, "count">;
}

export function openStreamLimiter(poolConnections: number): StreamLimiter {
  const semaphore = openSemaphore({
    permits: Math.floor(poolConnections / 2),
    maxWaiting: 200,
    // Most answers take less, so a brief shortage goes unnoticed.
    waitTimeoutMs: 1000,
    refusal: {
      detail: { zh: "当前导出任务较多，请稍后再试", en: "too many exports in progress, try again later" },
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
