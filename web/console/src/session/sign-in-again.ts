import { useSyncExternalStore } from "react";
import { currentSession, onSession } from "#console/session/session.ts";

// Calls whose token has run out wait here, all for one sign-in; the shell shows the form as long as somebody waits.

interface Waiting {
  readonly done: Promise<void>;
  readonly resolve: () => void;
}

let waiting: Waiting | undefined;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** Resolves when the person has signed in again; never when they leave instead. */
export function askToSignIn(signal?: AbortSignal): Promise<void> {
  if (!waiting) {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = { done: promise, resolve };
    tell();
  }
  const { done } = waiting;
  return new Promise((resolve, reject) => {
    void done.then(resolve);
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

// Signed in again, here or in another tab, they go on; signed out, they are forgotten with the page that asked.
onSession(() => {
  if (currentSession()) waiting?.resolve();
  waiting = undefined;
  tell();
});

export const useIsWaiting = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => waiting !== undefined,
  );
