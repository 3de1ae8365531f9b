import { useSyncExternalStore } from "react";
import { callWith } from "#shared/call/exchange.ts";
import type { CallOptions } from "#shared/call/transport.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";
import { place } from "#shared/place.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { ToldOfProof } from "#platform/contract/proven-contract.ts";
import { openKept } from "./kept.ts";

// If `identity` is `header` or `signed`, a proxy authenticates each request and the page holds no identity. If it is
// `demo` or `campus`, the page keeps the visitor's identity and sends it with each request.

export interface Guest {
  readonly number: string;
  readonly token?: string;
}

/** `ended`: the session expired or was refused; `left`: the user signed out. */
export type Standing = "in" | "out" | "ended" | "left";

interface GuestOptions {
  readonly page: string;
  readonly headers: { readonly number: string; readonly token: string };
  readonly forget: () => void;
}

/** 10012: the credentials are missing; 10006: the credentials are invalid or have expired. */
const refusals = new Set(["10006", "10012"]);

export type Guests = ReturnType<typeof openGuests>;

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
    /** If another user signs in, the previous user's choices and drafts in this tab are cleared. */
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
    /** Lets the page call again, since the proxy may authenticate the user by now. */
    tryAgain: (): void => become("in"),
    /** If the user's session has expired, the user must sign in again but loses no input. @throws {CallFailure} */
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
