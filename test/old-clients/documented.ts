// The words in which an operation is written down as the interface documents have it, without a look at the code.

/**
 * What JSON must be: a type, one of some values, a list, an object of exactly these fields, or something that a decision
 * has put in the document's place. `time` is `yyyy-MM-dd HH:mm:ss`.
 */
export type Shape =
  | "string"
  | "int32"
  | "int64"
  | "number"
  | "boolean"
  | "time"
  | OneOf
  | Decided
  | readonly [Shape]
  | { readonly [field: string]: Shape };

export class OneOf {
  readonly values: readonly unknown[];
  constructor(values: readonly unknown[]) {
    this.values = values;
  }
}

/** A difference from the documents, with the decision that makes it. */
export class Decided {
  readonly decision: string;
  readonly shape: Shape;
  constructor(decision: string, shape: Shape) {
    this.decision = decision;
    this.shape = shape;
  }
}

export const oneOf = (...values: readonly unknown[]): Shape => new OneOf(values);
/** Of another shape than the document's, or of one that it does not show. */
export const decided = (decision: string, shape: Shape): Shape => new Decided(decision, shape);
/** A field that no document has. */
export const plus = decided;
/** The document's shape, or null by a decision. */
export const orNull = (decision: string, shape: Shape): Shape => new Decided(decision, new OneOf([null, shape]));

/** The paged result of the documents. */
export const paged = (item: Shape): Shape => ({
  totalCount: "int32",
  pageSize: "int32",
  totalPage: "int32",
  currPage: "int32",
  list: [item],
});

/** `data` of a write, where a document says "string". */
export const written: Shape = decided("G2", "string");

/** What is answered: the envelope around a shape, or one of the few that have none. */
export type Answer =
  | { readonly envelope: Shape }
  | { readonly bare: Shape }
  | { readonly plain: "text" | "nothing" }
  | { readonly file: string };

export type Plain = string | number | undefined;

/** A request in the document's names: what is optional and not sent is named too, as undefined. */
export interface Sent {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, Plain | readonly number[]>>;
  /** A JSON body. */
  readonly body?: unknown;
  /** Form fields, as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string | undefined>>;
  /** multipart/form-data with the part `file`. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
}

/** What a list is asked for, as a page that leaves it out names it. */
export const paging: NonNullable<Sent["query"]> = {
  curPage: undefined,
  pageSize: undefined,
  orderField: undefined,
  order: undefined,
};

/** How an operation fails: the code, and the real HTTP status. */
export interface Refusal extends Sent {
  readonly code: string;
  readonly status: number;
}

export type Header = "admin_token" | "admin-token" | "Admin-Token" | "card_number";

/** One row of the documents' tables of endpoints. */
export interface Documented {
  readonly call: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;
  /** The header that is documented, if one is: "undocumented" where the decisions ask for a token all the same (G11). */
  readonly header?: Header | "undocumented";
  /** Needs the token though the document names no header and the letter of the document cannot be restored (G11). */
  readonly always?: true;
  readonly send?: () => Sent | Promise<Sent>;
  /** Left out: what a write answers. */
  readonly answer?: Answer;
  /** Keeps what later operations need, and looks at what the document says of the result. */
  readonly check?: (data: never, headers: Headers) => void | Promise<void>;
  /** A request that must be refused; every operation has one, or needs a header that can be missing. */
  readonly refused?: () => Refusal;
}
