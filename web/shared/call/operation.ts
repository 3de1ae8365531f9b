import type * as z from "zod";
import type { Access, Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import type { RightGroup } from "#platform/contract/rights.ts";

// What an application under web/ knows of an operation: its contract's types, and at run time a row of a generated table.

interface Row {
  readonly method: Endpoint["method"];
  readonly url: string;
  readonly who: Access["who"];
  /** What it takes of the caller's rights, where the method does not tell: to read for GET, to write for others. */
  readonly takes?: RightGroup;
  /** What it takes to have its rows as a file, where they may come so. */
  readonly asFile?: RightGroup;
  readonly answer: Endpoint["answer"]["as"];
  /** What its parameter for the page is called, when it gives pages. */
  readonly page?: "currPage" | "curPage";
  readonly upload?: "upload" | "workbook";
  /** How large its file may be, in MiB, where that is not for a setting to say. */
  readonly mostMb?: number;
  readonly idempotent?: true;
  /** A read that leaves a line in the audit log. */
  readonly audited?: true;
  /** It keeps to the scope of whoever calls; nothing else is open to an account with one. */
  readonly scoped?: true;
}

/** An operation that can be called; E is its contract, and exists as a type alone. */
export interface Operation<E extends Endpoint = Endpoint> extends Row {
  readonly service: ServiceContract["name"];
  readonly name: string;
  /** The codes by which the service says that a token is missing or worth nothing. */
  readonly tokenRefusals: readonly string[];
  readonly contract?: E;
}

type Input<S> = S extends z.ZodType ? z.input<S> : never;
type Part<Name extends string, S> = S extends z.ZodType
  ? Record<string, never> extends Input<S>
    ? { readonly [K in Name]?: Input<S> }
    : { readonly [K in Name]: Input<S> }
  : unknown;
type FilePart<E extends Endpoint> = E extends { upload: object } ? { readonly file: File } : unknown;

export type Given<E extends Endpoint> = Part<"params", E["params"]> &
  Part<"query", E["query"]> &
  Part<"body", E["body"]> &
  Part<"fields", E["fields"]> &
  FilePart<E>;

export type Data<E extends Endpoint> = E["answer"] extends {
  as: "envelope" | "bare" | "document";
  data: infer D extends z.ZodType;
}
  ? z.output<D>
  : string;

export type DataOf<O> = O extends Operation<infer E> ? Data<E> : never;
export type RecordOf<O> = DataOf<O> extends { list: (infer R)[] } ? R : DataOf<O> extends (infer R)[] ? R : never;

type Operations<T extends Record<string, Endpoint>> = { readonly [K in keyof T]: Operation<T[K]> };

/** Gives the rows of a service's table the types of its contract. */
export function defineOperations<T extends Record<string, Endpoint>>(
  service: ServiceContract["name"],
  tokenRefusals: readonly string[],
  rows: Readonly<Record<keyof T, Row>>,
): Operations<T> {
  const entries = Object.entries<Row>(rows).map(([name, row]) => [name, { ...row, service, name, tokenRefusals }]);
  return Object.fromEntries(entries) as Operations<T>;
}
