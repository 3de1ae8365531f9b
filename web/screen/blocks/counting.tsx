import { useLayoutEffect, useRef } from "react";
import { isStill } from "#screen/motion.ts";

const countMs = 500;

interface CountingProps {
  readonly value: number;
  readonly format: (value: number) => string;
  /** The number of characters that fit. A longer figure is drawn smaller, since none of its digits may be cut off. */
  readonly most?: number;
}

export function Counting({ value, format, most = Infinity }: CountingProps) {
  const text = useRef<HTMLSpanElement>(null);
  const shown = useRef<number>(undefined);
  useLayoutEffect(() => {
    const write = (now: number) => {
      shown.current = now;
      if (text.current) fit(text.current, format(now), most);
    };
    const from = shown.current;
    // A hidden page gets no animation frames, but must show the right number once visible.
    if (isStill || from === undefined || from === value || document.hidden) return write(value);
    const startedMs = performance.now();
    let frame = requestAnimationFrame(function step(nowMs) {
      const part = Math.min(1, Math.max(0, (nowMs - startedMs) / countMs));
      write(part === 1 ? value : from + (value - from) * (1 - (1 - part) ** 3));
      if (part < 1) frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [value, format, most]);
  // The animation writes the text outside React, at 60 frames per second.
  return <span ref={text} className="s-number" />;
}

function fit(element: HTMLElement, text: string, most: number): void {
  element.textContent = text;
  element.style.fontSize = text.length > most ? `${(most / text.length).toFixed(3)}em` : "";
}
