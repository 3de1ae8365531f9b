import { useEffect, useState } from "react";

const pauseMs = 250;

/** The debounced input, which avoids a request per keystroke. */
export function usePause(typed: string): string {
  const [paused, setPaused] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return paused;
}
