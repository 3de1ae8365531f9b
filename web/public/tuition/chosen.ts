import { makeKey } from "#shared/call/idempotency.ts";
import type { Line } from "./choice.ts";
import { openKept } from "./kept.ts";

/** What somebody goes to pay with: the items as they saw them, and a key that makes two orders of it one. */
export interface Chosen {
  readonly lines: readonly Line[];
  readonly key: string;
}

const kept = openKept<Chosen>("choice");

export const currentChoice = (): Chosen | undefined => kept.get();

export const forgetChoice = (): void => kept.forget();

/** Keeps a choice for the page that pays; another choice has another key. */
export function keepChoice(lines: readonly Line[]): Chosen {
  const chosen = { lines, key: makeKey() };
  kept.set(chosen);
  return chosen;
}
