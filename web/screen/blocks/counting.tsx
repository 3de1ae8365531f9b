import { useLayoutEffect, useRef } from "react";
import { isStill } from "#screen/motion.ts";

const countMs = 500;

interface CountingProps {
  readonly value: number;
  readonly format: (value: number) => string;
  /** Characters that fit at full size; a longer figure shrinks, since it must not be cut. */
  readonly most?: number;
}

/** A number that animates to its next value, which shows that it changed and in which direction. */
export function Counting({ value, format, most = Infinity }: CountingProps) {
  const text = useRef<HTMLSpanElement>(null);
  const shown = useRef<number>(undefined);
  useLayoutEffect(() => {
    const write = (now: number) => {
      shown.current = now;
      if (text.current) fit(text.current, format(now), most);
    };
    const from = shown.current;
    // A hidden page gets no animation frames, yet must be right when shown.
    if (isStill || from === undefined || from === value || document.hidden) return write(value);
    const startedMs = performance.now();
    let frame = requestAnimationFrame(function step(nowMs) {
      const part = Math.min(1, Math.max(0, (nowMs - startedMs) / countMs));
      write(part === 1 ? value : from + (value - from) * (1 - (1 - part) ** 3));
      if (part < 1) frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [value, format, most]);
  // The text is written outside React, at 60 frames per second.
  return <span ref={text} className="s-number" />;
}

function fit(element: HTMLElement, text: string, most: number): void {
  element.textContent = text;
  element.style.fontSize = text.length > most ? `${(most / text.length).toFixed(3)}em` : "";
}
