import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

// A sheet of paper has no scrolling and nothing to unfold: what the screen shows a part of is drawn whole for it. The
// browser takes the sheet as it is when the event ends, so the drawing must have been done by then.

let isPrinting = false;
const listeners = new Set<() => void>();

const turn = (next: boolean) =>
  flushSync(() => {
    isPrinting = next;
    listeners.forEach((listener) => listener());
  });

window.addEventListener("beforeprint", () => turn(true));
window.addEventListener("afterprint", () => turn(false));

/** Whether what is drawn is for paper. */
export const usePrinting = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isPrinting,
  );
