import { useSyncExternalStore } from "react";
import { callWith } from "#shared/call/exchange.ts";
import type { CallOptions } from "#shared/call/transport.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";
import { place } from "#shared/place.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { ToldOfProof } from "#platform/contract/proven-contract.ts";
import { openKept } from "./kept.ts";

// Who uses a page of people with a number. With `header` and `signed` somebody in front of the server says so in each
// request, and the page knows nothing of it; with `demo` and `campus` the page sends what it keeps.

export interface Guest {
  readonly number: string;
  /** With `campus`. */
  readonly token?: string;
}

/** `ended`: was let in, and is so no longer; `left`: wanted to go. */
export type Standing = "in" | "out" | "ended" | "left";

interface GuestOptions {
  /** By which the page keeps things, such as "library". */
  readonly page: string;
  readonly headers: { readonly number: string; readonly token: string };
  /** Forgets what one guest has left for another to find. */
  readonly forget: () => void;
}

/** Missing, ended or refused: 10012 of a proof that did not come, 10006 of one that holds no longer. */
const refusals = new Set(["10006", "10012"]);

export type Guests = ReturnType<typeof openGuests>;

/** Who the page's guest is, and calls as that. */
export function openGuests({ page, headers, forget }: GuestOptions) {
  const { identity, signIn } = place.told as ToldOfProof;
  const kept = openKept<Guest>(`${page}.guest`);
  /** Whose choice and words are kept. */
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
    /** Lets the guest in; what another one has chosen or typed in this tab is forgotten. */
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
    /** Asks again whether whoever stands in front lets the guest in. */
    tryAgain: (): void => become("in"),
    /**
     * `call` as the guest. Who is let in no longer is asked to sign in again; what is typed and chosen is still there then.
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
