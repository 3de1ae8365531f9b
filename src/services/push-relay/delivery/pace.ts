// How much of a project's queue a process takes ahead, and how hard it tries one that only fails.

export interface Pace {
  finish(succeeded: boolean): void;
  /** How many may be claimed while so many wait here. */
  countRoom(waiting: number): number;
  /** In how many ms the next push may begin; 0 for now. */
  begin(): number;
}

const leastRounds = 4;
const aheadMs = 400;
const mostAhead = 1000;
const measureMs = 50;
const failuresBeforeRest = 20;
const restMs = 50;

/**
 * What is taken ahead is what the project has lately taken in 0.4 s, so that a fast one never waits for the database and
 * a slow one keeps little from other processes. One that has failed twenty times in a row is tried twenty times a second
 * until it answers: a backlog of a hundred thousand must not become a storm of refused connections.
 */
export function openPace(concurrency: number, nowMs: () => number = () => performance.now()): Pace {
  let perMs = 0;
  let finished = 0;
  let measuredMs = nowMs();
  let failures = 0;
  let restUntilMs = 0;
  const measure = (): void => {
    const tookMs = nowMs() - measuredMs;
    if (tookMs < measureMs) return;
    perMs = (perMs + finished / tookMs) / 2;
    finished = 0;
    measuredMs = nowMs();
  };
  const isResting = () => failures >= failuresBeforeRest;
  return {
    finish(succeeded) {
      finished++;
      failures = succeeded ? 0 : failures + 1;
    },
    countRoom(waiting) {
      measure();
      const least = isResting() ? concurrency : concurrency * leastRounds;
      const wanted = Math.max(least, Math.min(mostAhead, Math.floor(perMs * aheadMs)));
      // Many at once or none: a claim costs as much for one as for fifty.
      return waiting * 2 > wanted ? 0 : wanted - waiting;
    },
    begin() {
      if (!isResting()) return 0;
      const waitMs = restUntilMs - nowMs();
      if (waitMs > 0) return Math.ceil(waitMs);
      restUntilMs = nowMs() + restMs;
      return 0;
    },
  };
}
