import assert from "node:assert/strict";
import { type Documented, paged, paging, type Sent, type Shape } from "./documented.ts";

export const unknown = { code: "10005", status: 404 } as const;
export const newest = { ...paging, orderField: "id", order: "desc" };
export const at = (method: "GET" | "POST" | "PUT" | "DELETE", path: string): Documented["call"] =>
  `${method} /disease-command${path}`;

export type Row = Record<string, unknown>;

export interface Module {
  readonly header: "Admin-Token" | "undocumented";
  readonly record: Shape;
  readonly save: string;
  readonly update?: readonly ["PUT" | "POST", string];
  readonly body: Row;
  readonly change: Row;
  readonly wrong: Row;
}

export function saveOf({ header, save, body, wrong }: Module, keep: (id: number) => void): Documented {
  return {
    call: at("POST", save),
    header,
    send: () => ({ body: { id: undefined, ...body } }),
    check: (data: string) => keep(Number(data)),
    refused: () => ({ body: { ...body, ...wrong }, code: "10001", status: 400 }),
  };
}

export function updateOf({ header, update = ["PUT", ""], body, change }: Module, id: () => number): Documented {
  return {
    call: at(...update),
    header,
    send: () => ({ body: { ...body, ...change, id: id() } }),
    check: (data: string) => assert.equal(data, "1"),
    refused: () => ({ body: { ...body, ...change, id: 999_999_999 }, ...unknown }),
  };
}

export const removeOf = (
  header: "Admin-Token" | "undocumented",
  path: string,
  ids: () => number[] | Promise<number[]>,
): Documented => ({
  call: at("DELETE", path),
  header,
  send: async () => ({ body: await ids() }),
  refused: () => ({ body: [], code: "10023", status: 400 }),
});

export const pageOf = (
  path: string,
  item: Shape,
  check: (row: Row) => void,
  query: Sent["query"] = {},
): Documented => ({
  call: at("GET", path),
  send: () => ({ query: { ...newest, ...query } }),
  answer: { envelope: paged(item) },
  check: ({ list: [row = {}] }: { list: Row[] }) => check(row),
  refused: () => ({ query: { pageSize: 0 }, code: "10001", status: 400 }),
});

export const infoOf = (path: string, name: string, record: Shape, value: () => string | number): Documented => ({
  call: at("GET", path),
  send: () => ({ params: { [name]: value() } }),
  answer: { envelope: record },
  refused: () => ({ params: { [name]: 999_999_999 }, ...unknown }),
});
