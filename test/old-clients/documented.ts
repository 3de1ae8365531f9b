// These types transcribe operations from the interface documents, independently of the code.

/**
 * A JSON shape: a type, one of some values, a list, an object with exactly the given fields, or a decision's
 * replacement of the documented shape. `time` is `yyyy-MM-dd HH:mm:ss`.
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

export class Decided {
  readonly decision: string;
  readonly shape: Shape;
  constructor(decision: string, shape: Shape) {
    this.decision = decision;
    this.shape = shape;
  }
}

export const oneOf = (...values: readonly unknown[]): Shape => new OneOf(values);
export const decided = (decision: string, shape: Shape): Shape => new Decided(decision, shape);
export const plus = decided;
export const orNull = (decision: string, shape: Shape): Shape => new Decided(decision, new OneOf([null, shape]));

export const paged = (item: Shape): Shape => ({
  totalCount: "int32",
  pageSize: "int32",
  totalPage: "int32",
  currPage: "int32",
  list: [item],
});

/** The documents declare the `data` of a write as a string; decision G2 makes the declaration precise. */
export const written: Shape = decided("G2", "string");

export type Answer =
  | { readonly envelope: Shape }
  | { readonly bare: Shape }
  | { readonly plain: "text" | "nothing" }
  | { readonly file: string };

export type Plain = string | number | undefined;

/** Fields have the documents' names; an optional field that is not sent is undefined. */
export interface Sent {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, Plain | readonly number[]>>;
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string | undefined>>;
  readonly file?: { readonly name: string; readonly bytes: Uint8Array };
}

export const paging: NonNullable<Sent["query"]> = {
  curPage: undefined,
  pageSize: undefined,
  orderField: undefined,
  order: undefined,
};

/**
 * A request that must fail, with its code and the HTTP status that the answer has without the compatibility settings.
 */
export interface Refusal extends Sent {
  readonly code: string;
  readonly status: number;
}

export type Header = "admin_token" | "admin-token" | "Admin-Token" | "card_number";

export interface Documented {
  readonly call: `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;
  /** The documented header; "undocumented" where a decision requires a token although no header is documented (G11). */
  readonly header?: Header | "undocumented";
  /** The token is required even with the compatibility settings, although no header is documented (G11). */
  readonly always?: true;
  readonly send?: () => Sent | Promise<Sent>;
  readonly answer?: Answer;
  /** Checks the documented result and keeps values for later operations. */
  readonly check?: (data: never, headers: Headers) => void | Promise<void>;
  /** Returns a request that must be refused, in addition to the one without the header. */
  readonly refused?: () => Refusal;
}
