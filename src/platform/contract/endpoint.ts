import type { Readable } from "node:stream";
import type * as z from "zod";
import type { JsonText } from "#platform/contract/envelope.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import type { ProblemName, ProblemTable } from "#platform/contract/problem.ts";
import type { RightGroup } from "#platform/contract/rights.ts";
import type { Dimensions } from "#platform/contract/scope.ts";

/** Guests: people without an account whom a service identifies by its own means. `identifyGuest` verifies them. */
export interface Guests {
  /** As named in descriptions, such as "members, each by the own badge". */
  readonly title: string;
  /** A noun for the identifier, such as "badge". */
  readonly knownBy: string;
  /** The lower-case header with the identifier. */
  readonly header: string;
  /** All headers that are read, with their descriptions. */
  readonly headers: Readonly<Record<string, string>>;
  /** The sets of headers of which each proves the identity. */
  readonly ways: readonly (readonly string[])[];
  /** Failures of unproved calls. */
  readonly problems: readonly ProblemName[];
}

/** Who may call an operation. */
export type Access =
  /** Anyone, counted by the named rate limit; "refusals" counts rejected calls only. */
  | { readonly who: "anyone"; readonly limit?: "open" | "login" | "refusals"; readonly orAdministrator?: never }
  /** Anyone; administrators with read access, by token or login cookie, may see more. */
  | { readonly who: "anyone"; readonly orAdministrator: true; readonly limit?: never }
  /** Administrators of the service with a token; "super" for super administrators only. */
  | {
      readonly who: "administrator";
      /** UNDOCUMENTED_AUTH may open the operation, because its interface document names no header. */
      readonly headerUndocumented?: true;
      /** Guests may call it without a token. */
      readonly orGuests?: Guests;
    }
  | { readonly who: "super"; readonly headerUndocumented?: true }
  /** Like administrator, but also accepts the login cookie or a single-use ticket. */
  | { readonly who: "download" }
  | { readonly who: "operator" }
  /** Anyone signed in, at any service. */
  | { readonly who: "account" }
  /** Guests of the service. `mostPerMinute` limits each guest's calls; "open" means RATE_LIMIT_OPEN. */
  | { readonly who: "guest"; readonly guests: Guests; readonly mostPerMinute?: number | "open" };

export function guestsOf(access: Access): Guests | undefined {
  if (access.who === "guest") return access.guests;
  return access.who === "administrator" ? access.orGuests : undefined;
}

export type Answer =
  /**
   * `orFile`: `format=xlsx` requests a file of that type. `streamed`: the answer is sent while it is read from the
   * database.
   */
  | { readonly as: "envelope"; readonly data: z.ZodType; readonly orFile?: string; readonly streamed?: true }
  /**
   * The data without an envelope, as documented; failures are `{code, message}` with a numeric code and their real
   * status.
   */
  | { readonly as: "bare"; readonly data: z.ZodType }
  | { readonly as: "text"; readonly example: string }
  /** In the protocol of the other side, with a description per status. Problems are sent in the envelope. */
  | { readonly as: "reply"; readonly replies: Readonly<Record<number, string>> }
  /** Server-sent events with JSON data. */
  | { readonly as: "events"; readonly data: z.ZodType }
  | { readonly as: "file"; readonly mime: string; readonly streamed?: true }
  /** Data shared by all callers, with an ETag. Failures are sent in the envelope. */
  | { readonly as: "document"; readonly mime: string; readonly data: z.ZodType };

export const workbookMime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** An operation as data: served by Fastify, described by OpenAPI and driven by tests. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path below BASE_PATH, with parameters as `:name`. */
  readonly url: string;
  readonly summary: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body may also be form-encoded. */
  readonly form?: true;
  /**
   * true: `request.body` is a Buffer, whatever the content type. "stream": it is a Readable, or undefined, limited only
   * by the minimum transfer rate.
   */
  readonly raw?: true | "stream";
  /** A multipart part named `file`. */
  readonly upload?: {
    readonly limit: "upload" | "workbook";
    readonly imagesOnly?: true;
    /** Fixed size limit in MiB of a JSON file. */
    readonly mostJsonMb?: number;
  };
  /** Form fields beside the file. */
  readonly fields?: z.ZodObject;
  /** Optional headers in lower case, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer: Answer;
  /** Gets the time limits of an import. */
  readonly takesLong?: true;
  /** Response headers of a success, with their descriptions. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** An Idempotency-Key makes a retry return the first success. */
  readonly idempotent?: true;
  readonly bodyLimitBytes?: number;
  /** Cache-Control of successes; no-store by default. */
  readonly caching?: string;
  /**
   * Answers contain a token, key or secret. They are never compressed, because the length would leak the secret when
   * part of the text is chosen by an attacker (BREACH).
   */
  readonly holdsSecret?: true;
  /** Changes accounts or ends sessions; such writes are serialised before the session is locked. */
  readonly changesAccounts?: true;
  /**
   * "later": allowed before the second factor is verified. "first": also allowed when the account has none. "again":
   * requires a recent verification if the account has a factor; so does "first".
   */
  readonly secondFactor?: "later" | "first" | "again";
  /**
   * Sets one's own password, which a session opened with a given password may do. Requires a recently verified second
   * factor if the account has one.
   */
  readonly choosesPassword?: true;
  /** Bypasses admission control: rare and urgent. */
  readonly urgent?: true;
  /** The required right, if it does not follow from the shape (`rights.ts`). */
  readonly group?: RightGroup;
  /** Respects the caller's scope. Callers with a scope may call no other operation except those of accounts. */
  readonly scoped?: true;
  /** Writes an audit entry although it is a read. */
  readonly audited?: true;
  /** Failures beside those implied by other properties. */
  readonly problems?: readonly ProblemName[];
  /** Not part of an interface document. */
  readonly own?: true;
}

export interface ServiceContract<E extends Record<string, Endpoint> = Record<string, Endpoint>> {
  /** The name in addresses; "platform" for the platform's own. */
  readonly name: string;
  /** Name and one-line description on pages. */
  readonly title: Bilingual;
  readonly about: Bilingual;
  /** Colour on the start page, `#rrggbb`. */
  readonly color?: string;
  /** By which accounts can be restricted to some of its records. */
  readonly dimensions?: Dimensions;
  readonly problems: ProblemTable;
  readonly endpoints: E;
}

/** Preserves the exact schema types of an operation. */
export const endpoint = <const E extends Endpoint>(e: E): E => e;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The validated input of a handler. */
export interface Input<E extends Endpoint> {
  readonly params: Parsed<E["params"]>;
  readonly query: Parsed<E["query"]>;
  readonly body: Parsed<E["body"]>;
  readonly fields: Parsed<E["fields"]>;
}

/** A file answer. */
export interface FileAnswer {
  /** Default 200. */
  readonly status?: 200 | 302;
  /** Omitted for HEAD. */
  readonly stream?: Readable;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer streamed from the database. */
export interface StreamedAnswer {
  /** Starts reading, once a stream slot is free; not called for HEAD. */
  readonly open: () => Readable | Promise<Readable>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A document that is compressed once for as long as the handler returns the same object. */
export interface KeptDocument {
  readonly text: string;
}

/** A reply in the protocol of the other side. */
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

/** Starts sending events to a client; returns how to stop. */
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
