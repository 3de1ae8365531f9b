// The vocabulary to transcribe an operation from the interface documents, independent of the code.

/**
 * A JSON shape: a type, one of some values, a list, an object of exactly these fields, or a decision's replacement of
 * the documented shape. `time` is `yyyy-MM-dd HH:mm:ss`.
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

/** A deviation from the documents, with its decision. */
export class Decided {
  readonly decision: string;
  readonly shape: Shape;
  constructor(decision: string, shape: Shape) {
    this.decision = decision;
    this.shape = shape;
  }
}

export const oneOf = (...values: readonly unknown[]): Shape => new OneOf(values);
/** A shape that differs from the document's, or is absent there. */
export const decided = (decision: string, shape: Shape): Shape => new Decided(decision, shape);
/** An undocumented field. */
export const plus = decided;
/** The documented shape, or null by a decision. */
export const orNull = (decision: string, shape: Shape): Shape => new Decided(decision, new OneOf([null, shape]));

/** The documents' paged result. */
export const paged = (item: Shape): Shape => ({
  totalCount: "int32",
  pageSize: "int32",
  totalPage: "int32",
  currPage: "int32",
  list: [item],
});

/** A write's `data`, documented as "string". */
export const written: Shape = decided("G2", "string");

/** The answer: an envelope around a shape, or one of the few without. */
export type Answer =
  | { readonly envelope: Shape }
  | { readonly bare: Shape }
  | { readonly plain: "text" | "nothing" }
  | { readonly file: string };

export type Plain = string | number | undefined;

/** A request with the field names of the interface documents; optional fields that are not sent are undefined. */
export interface Sent {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, Plain | readonly number[]>>;
  readonly body?: unknown;
  /** Form fields, as application/x-www-form-urlencoded. */
  readonly form?: Readonly<Record<string, string | undefined>>;
  /** multipart/form-data with the part `file`. */
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
}

/** A list's parameters, as a page that omits them would send. */
export const paging: NonNullable<Sent["query"]> = {
  curPage: undefined,
  pageSize: undefined,
  orderField: undefined,
  order: undefined,
};

/** A documented failure: the code, and the real HTTP status. */
export interface Refusal extends Sent {
  readonly code: string;
  readonly status: number;
}

export type Header = "admin_token" | "admin-token" | "Admin-Token" | "card_number";

/** One row of the documents' endpoint tables. */
export interface Documented {
  readonly call: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;
  /** The documented header; "undocumented" where the decisions require a token anyway (G11). */
  readonly header?: Header | "undocumented";
  /** Requires the token even in literal mode, although no header is documented (G11). */
  readonly always?: true;
  readonly send?: () => Sent | Promise<Sent>;
  /** By default a write's answer. */
  readonly answer?: Answer;
  /** Keeps values for later operations, and checks the documented result. */
  readonly check?: (data: never, headers: Headers) => void | Promise<void>;
  /** A request that must be refused; every operation has one, or a header whose absence is refused. */
  readonly refused?: () => Refusal;
}
