import { useSyncExternalStore } from "react";
import { callWith } from "#shared/call/exchange.ts";
import type { CallOptions } from "#shared/call/transport.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";
import { place } from "#shared/place.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { ToldOfProof } from "#platform/contract/proven-contract.ts";
import { forgetStudent, openKept } from "./kept.ts";

// Who the student is. With `header` and `signed` somebody in front of the server says so in each request, and the page
// knows nothing of it; with `demo` and `campus` the page sends what it keeps.

export const { identity, signIn } = place.told as ToldOfProof;

export interface Student {
  readonly cardNumber: string;
  /** With `campus`. */
  readonly token?: string;
}

/** `ended`: was let in, and is so no longer; `left`: wanted to go. */
export type Standing = "in" | "out" | "ended" | "left";

const kept = openKept<Student>("student");
/** Whose choice and words are kept. */
const last = openKept<string>("last");
const isKept = identity === "demo" || identity === "campus";
const listeners = new Set<() => void>();
let standing: Standing = identity === null || (isKept && !kept.get()) ? "out" : "in";
let wasIn = isKept && standing === "in";

function become(next: Standing): void {
  standing = next;
  for (const listener of listeners) listener();
}

export const useStanding = (): Standing =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => standing,
  );

export const currentStudent = (): Student | undefined => kept.get();

/** Lets the student in; what another one has chosen or typed in this tab is forgotten. */
export function enter(student: Student): void {
  if (last.get() !== student.cardNumber) forgetStudent();
  kept.set(student);
  last.set(student.cardNumber);
  wasIn = true;
  become("in");
}

export function leave(): void {
  forgetStudent();
  wasIn = false;
  become("left");
}

/** Asks again whether whoever stands in front lets the student in. */
export const tryAgain = (): void => become("in");

/** Missing, ended or refused: 10012 of a proof that did not come, 10006 of one that holds no longer. */
const refusals = new Set(["10006", "10012"]);

/**
 * `call` as the student. Who is let in no longer is asked to sign in again; what is typed and chosen is still there then.
 * @throws {CallFailure}
 */
export async function ask<E extends Endpoint>(
  operation: Operation<E>,
  given: Given<E>,
  options: CallOptions = {},
): Promise<Data<E>> {
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
}

const headersOf = (student: Student | undefined): Record<string, string> =>
  student === undefined
    ? {}
    : { card_number: student.cardNumber, ...(student.token !== undefined && { card_token: student.token }) };
