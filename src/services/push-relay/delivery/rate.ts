import { setTimeout as delay } from "node:timers/promises";

export interface RateOptions {
  readonly perSecond: number;
  readonly reserve: (stretchMs: number) => Promise<number>;
  readonly onReady: () => void;
  readonly nowMs?: () => number;
}

export type Rate = ReturnType<typeof openRate>;

const stretchesPerSecond = 4;
const failurePauseMs = 1000;
const unlimited = { ahead: Infinity, begin: (): number => 0 };

/**
 * Limits a project's pushes per second. All processes share the limit. Each reserves time slices of at most a quarter
 * of a second, but always long enough for one push.
 */
export function openRate({ perSecond, reserve, onReady, nowMs = () => performance.now() }: RateOptions) {
  if (perSecond === 0) return unlimited;
  const stepMs = 1000 / perSecond;
  let [left, nextMs] = [0, 0];
  let asking = false;
  const ask = async (count: number): Promise<void> => {
    asking = true;
    try {
      const waitMs = await reserve(count * stepMs);
      [left, nextMs] = [count, Math.max(nextMs, nowMs() + waitMs)];
    } catch {
      // If the database is unavailable, waiting deliveries become due again when their lease expires.
      await delay(failurePauseMs);
    }
    asking = false;
    onReady();
  };
  return {
    ahead: Math.max(1, perSecond),
    /**
     * Permits a push and returns 0, or returns the milliseconds until the next push may start. Infinity means that
     * `onReady` will be called.
     */
    begin(waiting: number): number {
      if (left === 0) {
        if (!asking) void ask(Math.max(1, Math.min(waiting, Math.floor(perSecond / stretchesPerSecond))));
        return Infinity;
      }
      const waitMs = nextMs - nowMs();
      if (waitMs > 0) return waitMs;
      left--;
      nextMs = nowMs() + stepMs;
      return 0;
    },
  };
}
