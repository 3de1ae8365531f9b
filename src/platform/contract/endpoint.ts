import type { Readable } from "node:stream";
import type * as z from "zod";
import type { JsonText } from "#platform/contract/envelope.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import type { ProblemName, ProblemTable } from "#platform/contract/problem.ts";
import type { Dimensions } from "#platform/contract/scope.ts";

export const rightGroups = ["read", "write", "export", "money", "accounts", "audit"] as const;

/** "own" concerns one's own account and needs no right. */
export type RightGroup = (typeof rightGroups)[number] | "own";

/** Guests have no account; a service identifies them by its own means. */
export interface Guests {
  readonly title: string;
  readonly knownBy: string;
  readonly header: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Any one of these sets of headers proves the identity. */
  readonly ways: readonly (readonly string[])[];
  readonly problems: readonly ProblemName[];
}

export type Access =
  /** The named rate limit counts calls; "refusals" counts rejected ones only. */
  | { readonly who: "anyone"; readonly limit?: "open" | "login" | "refusals"; readonly orAdministrator?: never }
  /** Administrators with read access, by token or login cookie, may see more than others. */
  | { readonly who: "anyone"; readonly orAdministrator: true; readonly limit?: never }
  | {
      readonly who: "administrator";
      /** UNDOCUMENTED_AUTH may open the operation to everyone, because its interface document names no header. */
      readonly headerUndocumented?: true;
      readonly orGuests?: Guests;
    }
  | { readonly who: "super"; readonly headerUndocumented?: true }
  /** A download also accepts the login cookie or a single-use ticket instead of a token. */
  | { readonly who: "download" }
  | { readonly who: "operator" }
  | { readonly who: "account" }
  /** `mostPerMinute` limits each guest's calls; "open" means RATE_LIMIT_OPEN. */
  | { readonly who: "guest"; readonly guests: Guests; readonly mostPerMinute?: number | "open" };

export function guestsOf(access: Access): Guests | undefined {
  if (access.who === "guest") return access.guests;
  return access.who === "administrator" ? access.orGuests : undefined;
}

export type Answer =
  /**
   * With `orFile`, `format=xlsx` requests a file of that type. With `streamed`, the answer is sent while it is read
   * from the database.
   */
  | { readonly as: "envelope"; readonly data: z.ZodType; readonly orFile?: string; readonly streamed?: true }
  /**
   * The data come without an envelope, as documented; a failure is `{code, message}` with a numeric code and its real
   * status.
   */
  | { readonly as: "bare"; readonly data: z.ZodType }
  | { readonly as: "text"; readonly example: string }
  /**
   * The reply follows the other side's protocol, with a description of each status. Problems are sent in the envelope.
   */
  | { readonly as: "reply"; readonly replies: Readonly<Record<number, string>> }
  | { readonly as: "events"; readonly data: z.ZodType }
  | { readonly as: "file"; readonly mime: string; readonly streamed?: true }
  /** All callers share the document, which has an ETag. Problems are sent in the envelope. */
  | { readonly as: "document"; readonly mime: string; readonly data: z.ZodType };

export const workbookMime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly summary: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly form?: true;
  /**
   * With true, `request.body` is a Buffer, whatever the content type. With "stream", it is a Readable, or undefined,
   * limited only by the minimum transfer rate.
   */
  readonly raw?: true | "stream";
  readonly upload?: {
    readonly limit: "upload" | "workbook";
    readonly imagesOnly?: true;
    /** A JSON file has this fixed limit in MiB. */
    readonly mostJsonMb?: number;
  };
  readonly fields?: z.ZodObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer: Answer;
  readonly takesLong?: true;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** A retry with the same Idempotency-Key returns the first success. */
  readonly idempotent?: true;
  readonly bodyLimitBytes?: number;
  /** Successes have this Cache-Control, no-store by default. */
  readonly caching?: string;
  /**
   * An answer with a token, key or secret is never compressed, because its length would leak the secret when an
   * attacker chooses part of the text (BREACH).
   */
  readonly holdsSecret?: true;
  /** Such writes take the lock on account changes before the session's lock. */
  readonly changesAccounts?: true;
  /**
   * "later" is allowed before the second factor is verified, "first" also for an account without one. "first" and
   * "again" require a recent verification if the account has a factor.
   */
  readonly secondFactor?: "later" | "first" | "again";
  /**
   * A session opened with a given password may call this. It requires a recently verified second factor if the account
   * has one.
   */
  readonly choosesPassword?: true;
  /** Rare and urgent operations bypass admission control. */
  readonly urgent?: true;
  /** The right is given only where it does not follow from the shape (`rights.ts`). */
  readonly group?: RightGroup;
  /**
   * The operation respects the caller's scope. Callers with a scope may call no other operation except those of
   * accounts.
   */
  readonly scoped?: true;
  readonly audited?: true;
  readonly problems?: readonly ProblemName[];
  /** An addition of this platform, which no interface document has. */
  readonly own?: true;
}

export interface ServiceContract<E extends Record<string, Endpoint> = Record<string, Endpoint>> {
  readonly name: string;
  readonly title: Bilingual;
  readonly about: Bilingual;
  readonly color?: string;
  /** Accounts can be restricted to some records by these dimensions. */
  readonly dimensions?: Dimensions;
  readonly problems: ProblemTable;
  readonly endpoints: E;
}

export const endpoint = <const E extends Endpoint>(e: E): E => e;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Input<E extends Endpoint> {
  readonly params: Parsed<E["params"]>;
  readonly query: Parsed<E["query"]>;
  readonly body: Parsed<E["body"]>;
  readonly fields: Parsed<E["fields"]>;
}

export interface FileAnswer {
  readonly status?: 200 | 302;
  /** The stream is omitted for HEAD. */
  readonly stream?: Readable;
  readonly headers: Readonly<Record<string, string>>;
}

export interface StreamedAnswer {
  /** Is called once a stream slot is free, and not for HEAD. */
  readonly open: () => Readable | Promise<Readable>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The document is compressed again only when the handler returns another object. */
export interface KeptDocument {
  readonly text: string;
}

export interface OwnReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface EventClient<T = unknown> {
  send(data: T): void;
  /** Ends the stream; the client reconnects. */
  end(): void;
}

/** Returns how to stop sending. */
export type Subscribe<T = never> = (client: EventClient<T>) => () => void;

export type Output<E extends Endpoint> = E["answer"] extends { as: "envelope"; data: infer D extends z.ZodType }
  ? z.input<D> | JsonText | (E["answer"] extends { streamed: true } ? StreamedAnswer | FileAnswer : never)
  : E["answer"] extends { as: "bare"; data: infer D extends z.ZodType }
    ? z.input<D>
    : E["answer"] extends { as: "text" }
      ? string
      : E["answer"] extends { as: "reply" }
        ? OwnReply
        : E["answer"] extends { as: "events"; data: infer D extends z.ZodType }
          ? Subscribe<z.input<D>>
          : E["answer"] extends { as: "document" }
            ? KeptDocument
            : E["answer"] extends { streamed: true }
              ? StreamedAnswer
              : FileAnswer;
