import { useSyncExternalStore } from "react";
import { callWith } from "#shared/call/exchange.ts";
import type { CallOptions } from "#shared/call/transport.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";
import { place } from "#shared/place.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { ToldOfProof } from "#platform/contract/proven-contract.ts";
import { openKept } from "./kept.ts";

// The user of a page for people with a number. With `header` and `signed`, a proxy authenticates each request and the
// page holds no identity; with `demo` and `campus`, the page sends the one it keeps.

export interface Guest {
  readonly number: string;
  readonly token?: string;
}

/** `ended`: the session expired or was refused; `left`: the user signed out. */
export type Standing = "in" | "out" | "ended" | "left";

interface GuestOptions {
  /** The namespace of the page's stored values, such as "library". */
  readonly page: string;
  readonly headers: { readonly number: string; readonly token: string };
  /** Clears what one user left in the tab, before another uses it. */
  readonly forget: () => void;
}

/** Credentials missing or rejected: 10012 if absent, 10006 if expired. */
const refusals = new Set(["10006", "10012"]);

export type Guests = ReturnType<typeof openGuests>;

/** Tracks the page's user and makes calls on their behalf. */
export function openGuests({ page, headers, forget }: GuestOptions) {
  const { identity, signIn } = place.told as ToldOfProof;
  const kept = openKept<Guest>(`${page}.guest`);
  const last = openKept<string>(`${page}.last`);
  const isKept = identity === "demo" || identity === "campus";
  const listeners = new Set<() => void>();
  let standing: Standing = identity === null || (isKept && !kept.get()) ? "out" : "in";
  let wasIn = isKept && standing === "in";
  const become = (next: Standing): void => {
    standing = next;
    for (const listener of listeners) listener();
  };
  const listen = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const headersOf = (guest: Guest | undefined): Record<string, string> => ({
    ...(guest && { [headers.number]: guest.number }),
    ...(guest?.token !== undefined && { [headers.token]: guest.token }),
  });
  return {
    page,
    identity,
    signIn,
    useStanding: (): Standing => useSyncExternalStore(listen, () => standing),
    current: (): Guest | undefined => kept.get(),
    /** Signs the user in; another user's choices and drafts in this tab are cleared. */
    enter: (guest: Guest): void => {
      if (last.get() !== guest.number) forget();
      kept.set(guest);
      last.set(guest.number);
      wasIn = true;
      become("in");
    },
    leave: (): void => {
      forget();
      kept.forget();
      last.forget();
      wasIn = false;
      become("left");
    },
    /** Retries, for when the proxy may authenticate the user now. */
    tryAgain: (): void => become("in"),
    /**
     * Makes a `call` as the user. An expired user is asked to sign in again and loses no input.
     * @throws {CallFailure}
     */
    ask: async <E extends Endpoint>(
      operation: Operation<E>,
      given: Given<E>,
      options: CallOptions = {},
    ): Promise<Data<E>> => {
      try {
        const data = await callWith(operation, given, { ...options, headers: headersOf(kept.get()) });
        wasIn = true;
        return data;
      } catch (error) {
        if (error instanceof CallFailure && refusals.has(error.code)) {
          kept.forget();
          become(wasIn ? "ended" : "out");
        }
        throw error;
      }
    },
  };
}
