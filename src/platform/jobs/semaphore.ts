import { Problem, type ProblemExtras } from "#platform/contract/problem.ts";

export interface SemaphoreLimits {
  readonly permits: number;
  readonly maxWaiting?: number;
  readonly waitTimeoutMs?: number;
  readonly refusal?: ProblemExtras;
}

export type Semaphore = ReturnType<typeof openSemaphore>;

export function openSemaphore({ permits, maxWaiting = Infinity, waitTimeoutMs, refusal }: SemaphoreLimits) {
  const waiting = new Set<() => void>();
  const pending = new Set<Promise<unknown>>();
  let free = permits;
  const release = (): void => {
    const [next] = waiting;
    if (next) next();
    else free++;
  };
  const wait = async (): Promise<void> => {
    if (waiting.size >= maxWaiting) throw new Problem("tooManyRequests", refusal);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timeOut = (): void => {
      waiting.delete(grant);
      reject(new Problem("tooManyRequests", refusal));
    };
    const timer = waitTimeoutMs === undefined ? undefined : setTimeout(timeOut, waitTimeoutMs);
    const grant = (): void => {
      clearTimeout(timer);
      waiting.delete(grant);
      resolve();
    };
    waiting.add(grant);
    await promise;
  };
  const acquire = async (): Promise<() => void> => {
    if (free > 0) free--;
    else await wait();
    return release;
  };
  return {
    /**
     * Waits for a permit, and returns a function that releases it.
     * @throws {Problem} tooManyRequests if the queue is full or the wait times out
     */
    acquire,
    async run<T>(work: () => Promise<T>): Promise<T> {
      const task = acquire().then((release) => work().finally(release));
      pending.add(task);
      try {
        return await task;
      } finally {
        pending.delete(task);
      }
    },
    count: () => ({ atWork: permits - free, waiting: waiting.size }),
    async whenIdle(): Promise<void> {
      while (pending.size > 0) await Promise.allSettled(pending);
    },
  };
}
