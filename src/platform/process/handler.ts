import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "#platform/contract/caller.ts";
import type { Access, Endpoint, Guests, Input, Output } from "#platform/contract/endpoint.ts";
import type { Language } from "#platform/contract/language.ts";
import type { Db, Within } from "#platform/database/index.ts";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";

/** Who calls, by the operation's access: nobody where it is open to anyone. */
export type CallerOf<A extends Access> = A extends
  | { headerUndocumented: true }
  | { orGuests: Guests }
  | { orAdministrator: true }
  ? Caller | undefined
  : A extends { who: "anyone" | "guest" }
    ? undefined
    : Caller;

/** Runs a create once an Idempotency-Key, when the request carries one. */
export type Once = (tx: Db, create: () => Promise<string>) => Promise<string>;

/** All that a handler is given: a request that is authorised and checked. */
export interface Call<E extends Endpoint> extends Input<E> {
  /** The transaction of a write, the pool for a read. */
  readonly db: Db;
  readonly caller: CallerOf<E["access"]>;
  /** What the guest is known by. */
  readonly guest: E["access"] extends { who: "guest" }
    ? string
    : E["access"] extends { orGuests: Guests }
      ? string | undefined
      : undefined;
  /** Which records the caller sees and changes, for what is `scoped`: whoever has a scope calls nothing else. */
  readonly within: E extends { scoped: true } ? Within : undefined;
  readonly address: string;
  readonly userAgent: string;
  readonly language: Language;
  readonly file: E extends { upload: object } ? ReceivedFile : undefined;
  /** Of an administrator's write or audited read, what the audit log will name: the records, and what helps to understand the change. */
  readonly audit: { records: (string | number)[]; detail?: Readonly<Record<string, string | number | boolean | null>> };
  readonly once: Once;
  /**
   * For handlers without a transaction: runs their SQL in one, as a write that needs nothing else has it from the start
   * (the session held, the Idempotency-Key obeyed, the audit line written). Work that is one statement is a transaction
   * by itself where there is nothing else to do.
   */
  readonly transact: <T extends string>(work: (tx: Db) => Promise<T>, extent?: "oneStatement") => Promise<T>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Output<E>>;

/**
 * The handlers of a service, one an operation. A write runs in one transaction, which the answer follows; a handler
 * that must do more than SQL asks for none with `withoutTransaction` and opens its own.
 */
export type Handlers<E extends Record<string, Endpoint>> = {
  readonly [K in keyof E]: Handler<E[K]> | { readonly withoutTransaction: Handler<E[K]> };
};
