import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

// A sheet of paper has no scrolling and nothing to unfold: what the screen shows a part of is drawn whole for it. The
// browser takes the sheet as it is when the event ends, so the drawing must have been done by then.

let printedMs: number | undefined;
const listeners = new Set<() => void>();

const turn = (next: number | undefined) =>
  flushSync(() => {
    printedMs = next;
    listeners.forEach((listener) => listener());
  });

window.addEventListener("beforeprint", () => turn(Date.now()));
window.addEventListener("afterprint", () => turn(undefined));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** When what is drawn for paper is printed, in epoch milliseconds; undefined for the screen. */
export const usePrintedMs = (): number | undefined => useSyncExternalStore(subscribe, () => printedMs);

/** Whether what is drawn is for paper. */
export const usePrinting = (): boolean => usePrintedMs() !== undefined;
