/** Lets so many pieces of work run at once; the others wait in the order in which they came. */
export interface Turns {
  take<T>(work: () => Promise<T>): Promise<T>;
}

export function openTurns(atOnce: number): Turns {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return {
    async take(work) {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
      }
    },
  };
}
