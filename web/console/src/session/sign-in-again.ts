import { useSyncExternalStore } from "react";
import { currentSession, onSession } from "#console/session/session.ts";

// All calls with an expired token wait for the same sign-in form.

interface Waiting {
  readonly done: Promise<void>;
  readonly resolve: () => void;
}

let waiting: Waiting | undefined;
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

/** Resolves after a new sign-in, rejects if `signal` aborts, and stays pending if the user signs out. */
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

// A new sign-in in any tab resumes the waiting calls. After a sign-out they never resume.
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
