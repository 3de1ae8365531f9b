import { useCallback, useEffect, useState } from "react";
import { onLine, currentLine } from "#shared/call/line.ts";

export interface Reading<T> {
  readonly data: T | undefined;
  readonly failure: Error | undefined;
  readonly isReading: boolean;
  readonly retry: () => void;
}

/**
 * Reads on mount, whenever the key changes, on `retry`, and when the connection recovers after a failure. Earlier data
 * is kept until the new data arrives.
 */
export function useReading<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Reading<T> {
  const [state, setState] = useState<Omit<Reading<T>, "retry">>({
    data: undefined,
    failure: undefined,
    isReading: true,
  });
  const [turn, setTurn] = useState(0);
  const retry = useCallback(() => setTurn((last) => last + 1), []);
  useEffect(() => {
    const stop = new AbortController();
    setState(({ data }) => ({ data, failure: undefined, isReading: true }));
    read(stop.signal).then(
      (data) => stop.signal.aborted || setState({ data, failure: undefined, isReading: false }),
      (failure: Error) => stop.signal.aborted || setState(({ data }) => ({ data, failure, isReading: false })),
    );
    return () => stop.abort();
    // `read` is not a dependency, since callers pass a new function in each render; the key identifies what is read.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key, turn]);
  const hasFailed = state.failure !== undefined;
  useEffect(() => (hasFailed ? onLine(() => currentLine().isDown || retry()) : undefined), [hasFailed, retry]);
  return { ...state, retry };
}
