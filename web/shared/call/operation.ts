import type * as z from "zod";
import type { Access, Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import type { RightGroup } from "#platform/contract/endpoint.ts";

// An operation's types come from its contract; its run-time values are a row of a generated table.

interface Row {
  readonly method: Endpoint["method"];
  readonly url: string;
  readonly who: Access["who"];
  /** The required right, if not the method's default: read for GET, write for others. */
  readonly takes?: RightGroup;
  readonly asFile?: RightGroup;
  readonly answer: Endpoint["answer"]["as"];
  readonly page?: "currPage" | "curPage";
  readonly upload?: "upload" | "workbook";
  /** The maximum file size in MiB; absent if a setting determines it. */
  readonly mostMb?: number;
  readonly idempotent?: true;
  readonly audited?: true;
  /** Restricted to the records in the caller's scope. */
  readonly scoped?: true;
}

export interface Operation<E extends Endpoint = Endpoint> extends Row {
  readonly service: ServiceContract["name"];
  readonly name: string;
  /** The service's codes for a missing or invalid token. */
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

export function defineOperations<T extends Record<string, Endpoint>>(
  service: ServiceContract["name"],
  tokenRefusals: readonly string[],
  rows: Readonly<Record<keyof T, Row>>,
): Operations<T> {
  const entries = Object.entries<Row>(rows).map(([name, row]) => [name, { ...row, service, name, tokenRefusals }]);
  return Object.fromEntries(entries) as Operations<T>;
}
