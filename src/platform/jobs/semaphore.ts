import { Problem, type ProblemExtras } from "#platform/contract/problem.ts";

/** How many may be at work and how many may wait; left out, as many as come wait for as long as it takes. */
export interface SemaphoreLimits {
  readonly permits: number;
  readonly maxWaiting?: number;
  readonly waitTimeoutMs?: number;
  /** What is said, as tooManyRequests, to whom there is no room or no turn in time. */
  readonly refusal?: ProblemExtras;
}

export type Semaphore = ReturnType<typeof openSemaphore>;

/** Lets so many pieces of work run at once; the others wait in the order in which they came. */
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
     * Waits for a turn, which lasts until the returned function is called.
     * @throws {Problem} tooManyRequests when too many wait already, or the turn does not come in time.
     */
    acquire,
    /** Does the work in a turn. @throws {Problem} as begin does. */
    async run<T>(work: () => Promise<T>): Promise<T> {
      const task = acquire().then((release) => work().finally(release));
      pending.add(task);
      try {
        return await task;
      } finally {
        pending.delete(task);
      }
    },
    /** How many are at work and wait for a turn at the moment. */
    count: () => ({ atWork: permits - free, waiting: waiting.size }),
    /** Resolves when nobody is at work or waits for a turn. */
    async whenIdle(): Promise<void> {
      while (pending.size > 0) await Promise.allSettled(pending);
    },
  };
}
