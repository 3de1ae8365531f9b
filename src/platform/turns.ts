/** Lets so many pieces of work run at once; the others wait in the order in which they came. */
export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when nobody is at work or waits for a turn. */
  settle(): Promise<void>;
}

export function openTurns(atOnce: number): Turns {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  const underWay = new Set<Promise<unknown>>();
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
  return {
    async take(work) {
      const turn = run(work);
      underWay.add(turn);
      try {
        return await turn;
      } finally {
        underWay.delete(turn);
      }
    },
    async settle() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}
