import { noRoom, type Room } from "./queue-store.ts";

// How much of a project's queue a process takes ahead, and how hard it tries one that only fails.

export type Pace = ReturnType<typeof openPace>;

/** How long a run should last: the outcome of its first is written down so much later. */
export const runMs = 20;
const mostRun = 8;
/** Where lanes hold hardly more than one, one claim of so many looks behind the heads: it costs a tenth of a delivery. */
const hardlyMore = 1.2;
const lookEvery = 8;
/** Means are of about so many. */
const meanOf = 16;
const leastRounds = 4;
const aheadMs = 400;
const mostAhead = 2000;
const measureMs = 50;
const failuresBeforeRest = 20;
const restMs = 50;

/**
 * What is taken ahead is what the project has lately taken in 0.4 s, so that a fast one never waits for the database and
 * a slow one keeps little from other processes. Runs are as long as its receiver answers in 20 ms: for a slow one, one.
 * One that has failed twenty times in a row is tried twenty times a second until it answers: a backlog of a hundred
 * thousand must not become a storm of refused connections.
 */
export function openPace(concurrency: number, nowMs: () => number = () => performance.now()) {
  let wanted = concurrency * leastRounds;
  let perMs = 0;
  let finished = 0;
  let measuredMs = nowMs();
  let meanMs = runMs;
  let meanRun = 1;
  let claims = 0;
  let failures = 0;
  let restUntilMs = 0;
  const isResting = () => failures >= failuresBeforeRest;
  /** Whether so few wait here that more should be claimed. Many at once or none: a claim costs as much for one as for fifty. */
  const isLow = (waiting: number): boolean => waiting * 2 <= wanted;
  const chooseRun = (): number => {
    if (isResting() || (meanRun < hardlyMore && claims++ % lookEvery > 0)) return 1;
    return Math.min(mostRun, Math.max(1, Math.floor(runMs / meanMs)));
  };
  return {
    /** A run of so many was claimed. */
    claimed(length: number): void {
      meanRun += (length - meanRun) / meanOf;
    },
    finish(succeeded: boolean, durationMs: number): void {
      finished++;
      meanMs += (durationMs - meanMs) / meanOf;
      failures = succeeded ? 0 : failures + 1;
    },
    /** What may be claimed while so many deliveries wait here. */
    readRoom(waiting: number): Room {
      const tookMs = nowMs() - measuredMs;
      if (tookMs >= measureMs) {
        perMs = (perMs + finished / tookMs) / 2;
        finished = 0;
        measuredMs = nowMs();
      }
      const least = isResting() ? concurrency : concurrency * leastRounds;
      wanted = Math.max(least, Math.min(mostAhead, Math.floor(perMs * aheadMs)));
      return isLow(waiting) ? { lanes: Math.ceil((wanted - waiting) / meanRun), run: chooseRun() } : noRoom;
    },
    isLow,
    /** In how many ms the next push may begin; 0 for now. */
    begin(): number {
      if (!isResting()) return 0;
      const waitMs = restUntilMs - nowMs();
      if (waitMs > 0) return Math.ceil(waitMs);
      restUntilMs = nowMs() + restMs;
      return 0;
    },
  };
}
