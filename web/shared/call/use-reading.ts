import { useCallback, useEffect, useState } from "react";
import { onLine, currentLine } from "#shared/call/line.ts";

/** What is read: on its way, here, or failed; what was read before stays while it is read again. */
export interface Reading<T> {
  readonly data: T | undefined;
  readonly failure: Error | undefined;
  readonly isReading: boolean;
  readonly retry: () => void;
}

/**
 * Reads something for as long as the component stands, anew when the key is another, and by itself when the line is back
 * after it had failed.
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
    // The key says when it is another thing that is read: the function is a new one at each turn.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [key, turn]);
  const hasFailed = state.failure !== undefined;
  useEffect(() => (hasFailed ? onLine(() => currentLine().isDown || retry()) : undefined), [hasFailed, retry]);
  return { ...state, retry };
}
