import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "#platform/contract/caller.ts";
import type { Access, Endpoint, Guests, Input, Output } from "#platform/contract/endpoint.ts";
import type { Language } from "#platform/contract/language.ts";
import type { Db, Within } from "#platform/database/index.ts";
import type { ReceivedFile } from "#platform/files/temporary-files.ts";

/** The caller's type by the operation's access. */
export type CallerOf<A extends Access> = A extends
  | { headerUndocumented: true }
  | { orGuests: Guests }
  | { orAdministrator: true }
  ? Caller | undefined
  : A extends { who: "anyone" | "guest" }
    ? undefined
    : Caller;

/** Runs a create once per Idempotency-Key, if the request has one. */
export type Once = (tx: Db, create: () => Promise<string>) => Promise<string>;

/** What a handler receives: an authorised and validated request. */
export interface Call<E extends Endpoint> extends Input<E> {
  /** The transaction of a write, or the pool for a read. */
  readonly db: Db;
  readonly caller: CallerOf<E["access"]>;
  /** The guest's identifier. */
  readonly guest: E["access"] extends { who: "guest" }
    ? string
    : E["access"] extends { orGuests: Guests }
      ? string | undefined
      : undefined;
  /** The caller's scope, for `scoped` operations; callers with a scope can call no others. */
  readonly within: E extends { scoped: true } ? Within : undefined;
  readonly address: string;
  readonly userAgent: string;
  readonly language: Language;
  readonly file: E extends { upload: object } ? ReceivedFile : undefined;
  /** The audit entry of a write or audited read: the affected records and helpful details. */
  readonly audit: { records: (string | number)[]; detail?: Readonly<Record<string, string | number | boolean | null>> };
  readonly once: Once;
  /**
   * For handlers without a transaction: runs SQL in one, with session lock, Idempotency-Key and audit entry.
   * "oneStatement" allows skipping the transaction if none of these apply.
   */
  readonly transact: <T extends string>(work: (tx: Db) => Promise<T>, extent?: "oneStatement") => Promise<T>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Output<E>>;

/**
 * The handlers of a service. A write runs in one transaction that commits before the answer; `withoutTransaction` lets
 * a handler open its own after other work.
 */
export type Handlers<E extends Record<string, Endpoint>> = {
  readonly [K in keyof E]: Handler<E[K]> | { readonly withoutTransaction: Handler<E[K]> };
};
