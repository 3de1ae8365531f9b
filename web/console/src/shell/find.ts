import { callWith, type CallOptions } from "#console/call/call.ts";
import type { Judged } from "#console/session/session.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";

export interface Found {
  readonly label: string;
  readonly about: string;
  readonly to: string;
}

/** A kind of record that can be found by searching for a text. */
export interface Findable {
  readonly what: Bilingual;
  readonly needs: Judged;
  readonly find: (text: string, options: CallOptions) => Promise<readonly Found[]>;
}

export const mostFound = 5;

export const findable = <E extends Endpoint>(
  what: Bilingual,
  operation: Operation<E>,
  given: (text: string) => Given<E>,
  tell: (data: Data<E>, text: string) => readonly Found[],
): Findable => ({
  what,
  needs: operation,
  find: async (text, options) => tell(await callWith(operation, given(text), options), text),
});

export const includes = (words: string, text: string): boolean => words.toLowerCase().includes(text.toLowerCase());
