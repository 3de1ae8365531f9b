import type { Readable } from "node:stream";
import type * as z from "zod";
import type { JsonText } from "#platform/contract/envelope.ts";
import { decimal } from "#platform/contract/wire.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import type { ProblemName, ProblemTable } from "#platform/contract/problem.ts";
import type { Dimensions } from "#platform/contract/scope.ts";

export const rightGroups = ["read", "write", "export", "money", "accounts", "audit"] as const;

/** Operations in the group "own", such as those on the caller's own account, need no right. */
export type RightGroup = (typeof rightGroups)[number] | "own";

/** Guests have no account; each service identifies its guests by its own means. */
export interface Guests {
  readonly title: string;
  readonly knownBy: string;
  readonly header: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Any one of these sets of headers proves the guest's identity. */
  readonly ways: readonly (readonly string[])[];
  readonly problems: readonly ProblemName[];
}

export type Access =
  /** `limit` names the rate limit that counts the calls; "refusals" counts rejected calls only. */
  | { readonly who: "anyone"; readonly limit?: "open" | "login" | "refusals"; readonly orAdministrator?: never }
  /**
   * Anyone may call. Administrators with read access, identified by a token or the cookie set at login, may see more
   * than others.
   */
  | { readonly who: "anyone"; readonly orAdministrator: true; readonly limit?: never }
  | {
      readonly who: "administrator";
      /**
       * With `headerUndocumented`, UNDOCUMENTED_AUTH may open the operation to everyone, because the interface document
       * names no header for it.
       */
      readonly headerUndocumented?: true;
      readonly orGuests?: Guests;
    }
  | { readonly who: "super"; readonly headerUndocumented?: true }
  /** A download accepts a token, the cookie set at login or a single-use ticket. */
  | { readonly who: "download" }
  | { readonly who: "operator" }
  | { readonly who: "account" }
  /** `mostPerMinute` limits each guest's calls; "open" stands for the limit in RATE_LIMIT_OPEN. */
  | { readonly who: "guest"; readonly guests: Guests; readonly mostPerMinute?: number | "open" };

export function guestsOf(access: Access): Guests | undefined {
  if (access.who === "guest") return access.guests;
  return access.who === "administrator" ? access.orGuests : undefined;
}

export type Answer =
  /**
   * With `orFile`, the query `format=xlsx` requests a file of that type. With `streamed`, the answer is sent while it
   * is read from the database.
   */
  | { readonly as: "envelope"; readonly data: z.ZodType; readonly orFile?: string; readonly streamed?: true }
  /**
   * A success is sent without an envelope, as the interface document says. A failure is `{code, message}` with a
   * numeric code and an HTTP status that STATUS_STYLE does not change.
   */
  | { readonly as: "bare"; readonly data: z.ZodType }
  | { readonly as: "text"; readonly example: string }
  /**
   * The reply follows a protocol of the calling system; `replies` describes each status. Problems are sent in the
   * envelope.
   */
  | { readonly as: "reply"; readonly replies: Readonly<Record<number, string>> }
  | { readonly as: "events"; readonly data: z.ZodType }
  | { readonly as: "file"; readonly mime: string; readonly streamed?: true }
  /** All callers get the same document, which has an ETag. Problems are sent in the envelope. */
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
   * With true, `request.body` is a Buffer, whatever the content type. With "stream", it is a Readable, or undefined if
   * the request has no body; only the minimum transfer rate limits a stream.
   */
  readonly raw?: true | "stream";
  readonly upload?: {
    readonly limit: "upload" | "workbook";
    readonly imagesOnly?: true;
    /** The maximum size of the file in MiB, set only for an upload of JSON. */
    readonly mostJsonMb?: number;
  };
  readonly fields?: z.ZodObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer: Answer;
  readonly takesLong?: true;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** For 24 hours, a retry with the same Idempotency-Key returns the first successful answer. */
  readonly idempotent?: true;
  readonly bodyLimitBytes?: number;
  /** The Cache-Control header of successful answers; if omitted, the kind of answer determines the header. */
  readonly caching?: string;
  /**
   * The answer contains a token, key or secret, so it is never compressed: if an attacker can choose part of the text,
   * the compressed length reveals the secret (BREACH).
   */
  readonly holdsSecret?: true;
  /**
   * The operation changes accounts, so it refuses access keys, and takes the lock on account changes before it locks
   * the session.
   */
  readonly changesAccounts?: true;
  /**
   * With "later", the operation may be called before the second factor is verified. With "first", an account without a
   * factor may call it. With "first" or "again", an account with a factor must have verified it recently.
   */
  readonly secondFactor?: "later" | "first" | "again";
  /**
   * A caller who must first choose a password may call this operation. If the account has a second factor, the factor
   * must have been verified recently.
   */
  readonly choosesPassword?: true;
  /** The operation is rare and urgent, so it bypasses admission control. */
  readonly urgent?: true;
  /** The group of the required right; set only where `rights.ts` cannot derive it from the other fields. */
  readonly group?: RightGroup;
  /**
   * The operation is limited to the records within the caller's scope. Callers whose scope names a dimension of the
   * service may call only scoped operations and those on accounts.
   */
  readonly scoped?: true;
  readonly audited?: true;
  readonly problems?: readonly ProblemName[];
  /** The operation is an addition of this platform, which no interface document describes. */
  readonly own?: true;
}

export interface ServiceContract<E extends Record<string, Endpoint> = Record<string, Endpoint>> {
  readonly name: string;
  readonly title: Bilingual;
  readonly about: Bilingual;
  readonly color?: string;
  /** The dimensions by which accounts can be restricted to some records. */
  readonly dimensions?: Dimensions;
  readonly problems: ProblemTable;
  readonly endpoints: E;
}

type Described = Omit<Endpoint, "method" | "url">;

const count = decimal();

/** A read says what it returns; only a write may leave it out. */
type Answering<M> = M extends "GET" ? { readonly data: z.ZodType } | { readonly answer: Answer } : unknown;

type Answered<E> = E extends { readonly answer: Answer }
  ? E
  : E extends { readonly data: infer D extends z.ZodType }
    ? Omit<E, "data"> & { readonly answer: { readonly as: "envelope"; readonly data: D } }
    : E & { readonly answer: { readonly as: "envelope"; readonly data: typeof count } };

/**
 * Returns functions that describe an endpoint by its path below the prefix and its other fields, except for the fields
 * in `shared`, which all these endpoints have. An endpoint without an `answer` returns `data` in an envelope; a write
 * without `data` returns a number as text: the id of the created record, or how many records it changed.
 */
export function under<const S extends Partial<Described> = object>(prefix: string, shared = {} as S) {
  type Own = Omit<Described, keyof S | "answer"> & { readonly answer?: Answer; readonly data?: z.ZodType };
  const by =
    <M extends Endpoint["method"]>(method: M) =>
    <const E extends Own & Answering<M>>(path: string, { data = count, ...own }: E) => {
      const described = { answer: { as: "envelope", data }, ...shared, ...own, method, url: `${prefix}${path}` };
      return described as unknown as Answered<S & E & { readonly method: M; readonly url: string }>;
    };
  return { get: by("GET"), post: by("POST"), put: by("PUT"), remove: by("DELETE") };
}

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

export interface Input<E extends Endpoint> {
  readonly params: Parsed<E["params"]>;
  readonly query: Parsed<E["query"]>;
  readonly body: Parsed<E["body"]>;
  readonly fields: Parsed<E["fields"]>;
}

export interface FileAnswer {
  readonly status?: 200 | 302;
  /** Omitted for HEAD. */
  readonly stream?: Readable;
  readonly headers: Readonly<Record<string, string>>;
}

export interface StreamedAnswer {
  /** Called once the limit on concurrent streams allows another one; never called for HEAD. */
  readonly open: () => Readable | Promise<Readable>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A text is compressed again only if the handler returns a different object. */
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
  /** Ends the stream, after which the client reconnects. */
  end(): void;
}

/** Starts sending to the client, and returns a function that stops sending. */
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
