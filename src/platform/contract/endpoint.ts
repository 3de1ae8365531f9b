import type { Readable } from "node:stream";
import type * as z from "zod";
import type { JsonText } from "#platform/contract/envelope.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import type { ProblemName, ProblemTable } from "#platform/contract/problem.ts";
import type { RightGroup } from "#platform/contract/rights.ts";
import type { Dimensions } from "#platform/contract/scope.ts";

/**
 * People without an account, whom a service knows by something of its own: what their calls carry. The service says
 * beside its handlers how that is proved (`identifyGuest`).
 */
export interface Guests {
  /** As descriptions name them, such as "members, each by the own badge". */
  readonly title: string;
  /** What each of them is known by, in a word, such as "badge". */
  readonly knownBy: string;
  /** The header that says who calls; headers are in lower case, as Node gives them. */
  readonly header: string;
  /** Every header that is read, that one among them, and what it holds. */
  readonly headers: Readonly<Record<string, string>>;
  /** Which headers prove it together; each list is one way. */
  readonly ways: readonly (readonly string[])[];
  /** The failures of a call that proves nothing. */
  readonly problems: readonly ProblemName[];
}

/** Who may call an operation. It is data, so that one table shows it, and the type asks for it. */
export type Access =
  /** Anyone; `limit` names the rate limit that counts the call; "refusals" counts only calls that are refused. */
  | { readonly who: "anyone"; readonly limit?: "open" | "login" | "refusals"; readonly orAdministrator?: never }
  /** Anyone; an administrator who may read the service, by token or the cookie that login sets, may be shown more. */
  | { readonly who: "anyone"; readonly orAdministrator: true; readonly limit?: never }
  /** The service's administrators, with a token; "super" for super administrators alone. */
  | {
      readonly who: "administrator";
      /** The interface document names no header: UNDOCUMENTED_AUTH may leave the operation open. */
      readonly headerUndocumented?: true;
      /** Guests may call it too, when no token comes. */
      readonly orGuests?: Guests;
    }
  | { readonly who: "super"; readonly headerUndocumented?: true }
  /** As administrator; but the token may also come as the cookie that login sets, or as a single-use ticket. */
  | { readonly who: "download" }
  | { readonly who: "operator" }
  /** Whoever is signed in, at whichever service. */
  | { readonly who: "account" }
  /** Guests of the service. `mostPerMinute` bounds the calls of each to the operation; "open": as many as RATE_LIMIT_OPEN says. */
  | { readonly who: "guest"; readonly guests: Guests; readonly mostPerMinute?: number | "open" };

export function guestsOf(access: Access): Guests | undefined {
  if (access.who === "guest") return access.guests;
  return access.who === "administrator" ? access.orGuests : undefined;
}

export type Answer =
  /**
   * `orFile`: with `format=xlsx` the request asks for a file of that type instead. `streamed`: a long answer, which leaves
   * while it is read from the database.
   */
  | { readonly as: "envelope"; readonly data: z.ZodType; readonly orFile?: string; readonly streamed?: true }
  /** The data by itself, as the documents have it; a failure is `{code, message}`, code as a number, with its real status. */
  | { readonly as: "bare"; readonly data: z.ZodType }
  | { readonly as: "text"; readonly example: string }
  /** Whatever the other side expects: each status with what it says. A failure that is told by a problem has the envelope. */
  | { readonly as: "reply"; readonly replies: Readonly<Record<number, string>> }
  /** Server-sent events for as long as the client stays; the data of each as JSON. */
  | { readonly as: "events"; readonly data: z.ZodType }
  | { readonly as: "file"; readonly mime: string; readonly streamed?: true }
  /** Data that is the same for everybody until it is replaced: known again by its ETag. A failure has the envelope. */
  | { readonly as: "document"; readonly mime: string; readonly data: z.ZodType };

export const workbookMime = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** One operation as plain data: what Fastify serves, OpenAPI describes, and the tests drive. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path below BASE_PATH, parameters as `:name`. */
  readonly url: string;
  readonly summary: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The body may also come as form fields. */
  readonly form?: true;
  /**
   * The body is read by its bytes, whatever it says that it is: `request.body` is a Buffer. stream: it is read by the
   * handler as it comes, a Readable, or undefined for none; nothing bounds it but how slowly it may come.
   */
  readonly raw?: true | "stream";
  /** One multipart part called `file`. */
  readonly upload?: {
    readonly limit: "upload" | "workbook";
    readonly imagesOnly?: true;
    /** Of a JSON text: it is at most so large, whatever is set. */
    readonly mostJsonMb?: number;
  };
  /** The form fields that may stand beside the file. */
  readonly fields?: z.ZodObject;
  /** Headers of its own that it reads, none of which it needs to be called; in lower case, each with what it holds. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly answer: Answer;
  /** It writes as much as an import does, which has the time for that by its workbook. */
  readonly takesLong?: true;
  /** Headers of a success that say something of their own, each with what. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** An Idempotency-Key header makes a retry return the first success. */
  readonly idempotent?: true;
  readonly bodyLimitBytes?: number;
  /** Cache-Control of its successes; left out: nobody may store them. */
  readonly caching?: string;
  /**
   * Its answers hold a token, key or secret. They are never compressed: the length of what was packed together tells
   * whoever chose a part of it about the rest.
   */
  readonly holdsSecret?: true;
  /** It changes accounts or ends sessions: such writes wait for one another, before the caller's session is held. */
  readonly changesAccounts?: true;
  /**
   * later: it may be called before the session has shown its second factor. first: so may it where the account has none
   * yet. again: it is dangerous, so who has one must have shown it a short while ago; "first" asks for that as well.
   */
  readonly secondFactor?: "later" | "first" | "again";
  /**
   * One chooses one's own password by it, which a session may that a given one has opened. Who has a second factor must
   * have shown it a short while ago.
   */
  readonly choosesPassword?: true;
  /** It begins however busy the process is: few of them come, and what they are for cannot wait. */
  readonly urgent?: true;
  /** The group of rights that it takes, where that does not follow from its shape (`rights.ts`). */
  readonly group?: RightGroup;
  /**
   * It shows and changes what lies in the caller's scope alone. Whoever has a scope of the service may call no other
   * operation of it, but for those of accounts.
   */
  readonly scoped?: true;
  /** A read that leaves a line in the audit log, as every write does. */
  readonly audited?: true;
  /** The failures of its own, beside those that follow from the rest of this record. */
  readonly problems?: readonly ProblemName[];
  /** No document has it; it is ours. */
  readonly own?: true;
}

export interface ServiceContract<E extends Record<string, Endpoint> = Record<string, Endpoint>> {
  /** As it stands in addresses; "platform" for the platform's own. */
  readonly name: string;
  /** What the pages call the service, and say of it in one line. */
  readonly title: Bilingual;
  readonly about: Bilingual;
  /** Its colour on the start page, `#rrggbb`. */
  readonly color?: string;
  /** By which accounts are narrowed to some of its records. */
  readonly dimensions?: Dimensions;
  readonly problems: ProblemTable;
  readonly endpoints: E;
}

/** Keeps the exact types of one operation's schemas. */
export const endpoint = <const E extends Endpoint>(e: E): E => e;

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler is given to read of the request, already checked. */
export interface Input<E extends Endpoint> {
  readonly params: Parsed<E["params"]>;
  readonly query: Parsed<E["query"]>;
  readonly body: Parsed<E["body"]>;
  readonly fields: Parsed<E["fields"]>;
}

/** A file that an operation answers with, out of a folder or the memory. */
export interface FileAnswer {
  /** Left out: 200. */
  readonly status?: 200 | 302;
  /** Left out for a HEAD request. */
  readonly stream?: Readable;
  readonly headers: Readonly<Record<string, string>>;
}

/** A long answer that is read from the database while it leaves. */
export interface StreamedAnswer {
  /** Begins to read; called once there is room for one more, and not at all for a HEAD request. */
  readonly open: () => Readable | Promise<Readable>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A document as the handler keeps it: as long as it returns the same object, it is compressed and named once. */
export interface KeptDocument {
  readonly text: string;
}

/** An answer in the words of whoever is answered. */
export interface OwnReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface EventClient<T = unknown> {
  send(data: T): void;
  /** Ends the stream; the client comes again by itself. */
  end(): void;
}

/** Begins to send a client events; returns how to stop. */
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
