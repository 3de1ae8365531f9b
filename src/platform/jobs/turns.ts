import { Problem, type ProblemExtras } from "#platform/contract/problem.ts";

/** How many may be at work and how many may wait; left out, as many as come wait for as long as it takes. */
export interface TurnLimits {
  readonly atOnce: number;
  readonly mostWaiting?: number;
  readonly patienceMs?: number;
  /** What is said, as tooManyRequests, to whom there is no room or no turn in time. */
  readonly refusal?: ProblemExtras;
}

export type Turns = ReturnType<typeof openTurns>;

/** Lets so many pieces of work run at once; the others wait in the order in which they came. */
export function openTurns({ atOnce, mostWaiting = Infinity, patienceMs, refusal }: TurnLimits) {
  const waiting = new Set<() => void>();
  const underWay = new Set<Promise<unknown>>();
  let free = atOnce;
  const end = (): void => {
    const [next] = waiting;
    if (next) next();
    else free++;
  };
  const wait = async (): Promise<void> => {
    if (waiting.size >= mostWaiting) throw new Problem("tooManyRequests", refusal);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      waiting.delete(admit);
      reject(new Problem("tooManyRequests", refusal));
    };
    const impatience = patienceMs === undefined ? undefined : setTimeout(leave, patienceMs);
    const admit = (): void => {
      clearTimeout(impatience);
      waiting.delete(admit);
      resolve();
    };
    waiting.add(admit);
    await promise;
  };
  const begin = async (): Promise<() => void> => {
    if (free > 0) free--;
    else await wait();
    return end;
  };
  return {
    /**
     * Waits for a turn, which lasts until the returned function is called.
     * @throws {Problem} tooManyRequests when too many wait already, or the turn does not come in time.
     */
    begin,
    /** Does the work in a turn. @throws {Problem} as begin does. */
    async take<T>(work: () => Promise<T>): Promise<T> {
      const turn = begin().then((endTurn) => work().finally(endTurn));
      underWay.add(turn);
      try {
        return await turn;
      } finally {
        underWay.delete(turn);
      }
    },
    /** How many are at work and wait for a turn at the moment. */
    count: () => ({ atWork: atOnce - free, waiting: waiting.size }),
    /** Resolves when nobody is at work or waits for a turn. */
    async settle(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}
