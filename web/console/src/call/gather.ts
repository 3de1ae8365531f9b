const mostAtOnce = 100;

/**
 * Asks for many by one call: the ids that are asked for within a few milliseconds go together, as those of the rows of
 * a page do.
 * @param load the answers for some ids
 */
export function gather<T>(load: (ids: readonly number[]) => Promise<ReadonlyMap<number, T>>) {
  let waiting: PromiseWithResolvers<ReadonlyMap<number, T>> | undefined;
  let ids = new Set<number>();
  const send = (): void => {
    const [sent, answer] = [[...ids], waiting];
    ids = new Set();
    waiting = undefined;
    if (answer) load(sent).then(answer.resolve, answer.reject);
  };
  return async (id: number): Promise<T | undefined> => {
    if (!waiting) {
      waiting = Promise.withResolvers();
      setTimeout(send, 5);
    }
    const { promise } = waiting;
    ids.add(id);
    if (ids.size === mostAtOnce) send();
    return (await promise).get(id);
  };
}
