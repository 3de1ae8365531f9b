import { makeKey } from "#shared/call/idempotency.ts";
import type { Line } from "./choice.ts";
import { forget, keep, kept } from "./kept.ts";

/** What somebody goes to pay with: the items as they saw them, and a key that makes two orders of it one. */
export interface Chosen {
  readonly lines: readonly Line[];
  readonly key: string;
}

const place = "choice";

export const currentChoice = (): Chosen | undefined => kept<Chosen>(place);

export const forgetChoice = (): void => forget(place);

/** Keeps a choice for the page that pays; another choice has another key. */
export function keepChoice(lines: readonly Line[]): Chosen {
  const chosen = { lines, key: makeKey() };
  keep(place, chosen);
  return chosen;
}
