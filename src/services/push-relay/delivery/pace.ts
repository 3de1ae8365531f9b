import { noRoom, type Room } from "./queue-store.ts";

export type Pace = ReturnType<typeof openPace>;

/**
 * After this time, a run starts no further push. The time is short, since the outcome of the run's first push is stored
 * only when the run ends.
 */
export const runMs = 20;
const mostRun = 8;
/**
 * If runs have fewer deliveries than this on average, only every eighth claim looks for runs, since looking costs 10 %
 * of what a delivery costs.
 */
const hardlyMore = 1.2;
const lookEvery = 8;
const meanOf = 16;
const leastRounds = 4;
const aheadMs = 400;
const mostAhead = 2000;
const measureMs = 50;
const failuresBeforeRest = 20;
const restMs = 50;

/**
 * A process claims about as many deliveries as the project takes in 0.4 s, so that a fast project rarely waits for the
 * database and a slow one leaves work to other processes. A run has as many pushes as the receiver answers in 20 ms,
 * but at least one and at most eight. After 20 failures in a row, this process makes at most 20 attempts a second until
 * one succeeds, so that a backlog of 100,000 does not cause a flood of refused connections.
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
  /**
   * More deliveries are claimed only when at most half of the wanted number are waiting, since claiming one costs as
   * much as claiming fifty.
   */
  const isLow = (waiting: number): boolean => waiting * 2 <= wanted;
  const chooseRun = (): number => {
    if (isResting() || (meanRun < hardlyMore && claims++ % lookEvery > 0)) return 1;
    return Math.min(mostRun, Math.max(1, Math.floor(runMs / meanMs)));
  };
  return {
    claimed(length: number): void {
      meanRun += (length - meanRun) / meanOf;
    },
    finish(succeeded: boolean, durationMs: number): void {
      finished++;
      meanMs += (durationMs - meanMs) / meanOf;
      failures = succeeded ? 0 : failures + 1;
    },
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
    begin(): number {
      if (!isResting()) return 0;
      const waitMs = restUntilMs - nowMs();
      if (waitMs > 0) return Math.ceil(waitMs);
      restUntilMs = nowMs() + restMs;
      return 0;
    },
  };
}
