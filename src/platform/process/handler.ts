import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "#platform/contract/caller.ts";
import type { Access, Endpoint, Guests, Input, Output } from "#platform/contract/endpoint.ts";
import type { Language } from "#platform/contract/language.ts";
import type { Db, Within } from "#platform/database/index.ts";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";

export type CallerOf<A extends Access> = A extends
  | { headerUndocumented: true }
  | { orGuests: Guests }
  | { orAdministrator: true }
  ? Caller | undefined
  : A extends { who: "anyone" | "guest" }
    ? undefined
    : Caller;

export type Once = (tx: Db, create: () => Promise<string>) => Promise<string>;

export interface Call<E extends Endpoint> extends Input<E> {
  readonly db: Db;
  readonly caller: CallerOf<E["access"]>;
  readonly guest: E["access"] extends { who: "guest" }
    ? string
    : E["access"] extends { orGuests: Guests }
      ? string | undefined
      : undefined;
  /**
   * The limit of a scoped operation to the caller's scope. A caller whose scope limits a dimension of the service can
   * call only `scoped` operations and those on accounts.
   */
  readonly within: E extends { scoped: true } ? Within : undefined;
  readonly address: string;
  readonly userAgent: string;
  readonly language: Language;
  readonly file: E extends { upload: object } ? ReceivedFile : undefined;
  /** The affected records and details that a handler adds to the audit entry. */
  readonly audit: { records: (string | number)[]; detail?: Readonly<Record<string, string | number | boolean | null>> };
  readonly once: Once;
  /**
   * Runs the SQL of a handler that is `withoutTransaction` in a transaction with the session lock, the Idempotency-Key
   * and the audit entry. "oneStatement" omits the transaction if none of the three is needed.
   */
  readonly transact: <T extends string>(work: (tx: Db) => Promise<T>, extent?: "oneStatement") => Promise<T>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Output<E>>;

/** Marks a handler that opens its transaction itself, after other work. */
export const withoutTransaction = <H>(handler: H) => ({ withoutTransaction: handler });

/** A write runs in one transaction, which commits before the answer is sent, unless it is `withoutTransaction`. */
export type Handlers<E extends Record<string, Endpoint>> = {
  readonly [K in keyof E]: Handler<E[K]> | { readonly withoutTransaction: Handler<E[K]> };
};
