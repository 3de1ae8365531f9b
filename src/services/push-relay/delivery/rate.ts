import { setTimeout as delay } from "node:timers/promises";

export interface RateOptions {
  /** 0: no limit. */
  readonly perSecond: number;
  /** Keeps a stretch of time that no other process begins a push in. @returns in how many ms it begins */
  readonly reserve: (stretchMs: number) => Promise<number>;
  /** Something may begin now that could not before. */
  readonly onReady: () => void;
  readonly nowMs?: () => number;
}

export type Rate = ReturnType<typeof openRate>;

const stretchesPerSecond = 4;
const failurePauseMs = 1000;
const unlimited = { ahead: Infinity, begin: (): number => 0 };

/** The pace that a project is set to, kept by all processes together: each asks for stretches of at most a quarter of a second. */
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
      // The database is away; what waits here goes back when its lease ends.
      await delay(failurePauseMs);
    }
    asking = false;
    onReady();
  };
  return {
    /** More than that need not be taken ahead. */
    ahead: Math.max(1, perSecond),
    /** In how many ms the next of so many pushes may begin, 0 for now; Infinity: onReady will tell. */
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
