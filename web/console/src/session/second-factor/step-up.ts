import { useSyncExternalStore } from "react";

// Calls that need a second factor wait here, all for one; the shell shows the dialog as long as somebody waits.

let waiting: PromiseWithResolvers<boolean> | undefined;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** Resolves when the person has shown a second factor; false when they will not. */
export function askForFactor(signal?: AbortSignal): Promise<boolean> {
  if (!waiting) {
    waiting = Promise.withResolvers<boolean>();
    tell();
  }
  const { promise } = waiting;
  return new Promise((resolve, reject) => {
    void promise.then(resolve);
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

/** Lets those go on who wait, or gives up for them. */
export function settleFactor(isShown: boolean): void {
  waiting?.resolve(isShown);
  waiting = undefined;
  tell();
}

export const useIsFactorWanted = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => waiting !== undefined,
  );
