import { useEffect, useState } from "react";
import { formatInstant } from "#shared/instant.ts";

export function useNow(stepMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      setNow(Date.now());
      timer = setTimeout(tick, stepMs - (Date.now() % stepMs));
    };
    timer = setTimeout(tick, stepMs - (Date.now() % stepMs));
    return () => clearTimeout(timer);
  }, [stepMs]);
  return now;
}

export const useMonth = (): string => formatInstant(useNow(60_000)).slice(0, 7);
