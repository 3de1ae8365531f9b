import { useSyncExternalStore } from "react";

// All calls that need a second factor wait for the same dialog.

let waiting: PromiseWithResolvers<boolean> | undefined;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

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
