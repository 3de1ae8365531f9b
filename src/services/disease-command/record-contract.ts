import * as z from "zod";
import { type Access, workbookMime, under } from "#platform/contract/endpoint.ts";
import type { ProblemName } from "#platform/contract/problem.ts";
import { day, listQuery, pageOf, ignoresFields, recordId, type UnreadField } from "#platform/contract/wire.ts";

export const prefix = "/disease-command";
export const { get, post, put } = under(prefix);

/**
 * The kinds of access to this service's operations. For operations with `undocumented`, the interface document names no
 * token header. Operations with `own` are not in the interface document.
 */
export const open = { access: { who: "anyone" } } as const;
export const token = { access: { who: "administrator" } } as const;
export const undocumented = { access: { who: "administrator", headerUndocumented: true } } as const;
export const own = { access: { who: "administrator" }, own: true } as const;

export const openOwn = { ...open, own: true } as const;

export const openScoped = { access: { who: "anyone", orAdministrator: true }, scoped: true } as const;

export type Who = { readonly access: Access; readonly own?: true; readonly scoped?: true };

const mostInt32 = 2_147_483_647;
export const int32 = () =>
  z
    .int()
    .min(-mostInt32 - 1)
    .max(mostInt32);
export const count32 = () => z.int().min(0).max(mostInt32);
export const count = () => z.int().min(0);

type Returned<S extends z.ZodRawShape> = {
  [K in keyof S]: S[K] extends z.ZodOptional<infer T extends z.ZodType> ? z.ZodNullable<T> : S[K];
};

export function recordOf<const S extends z.ZodRawShape>(fields: S) {
  const returned = Object.entries(fields).map(([name, field]) => [
    name,
    field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType).nullable() : field,
  ]);
  return z.object({ id: recordId(), ...(Object.fromEntries(returned) as Returned<S>) });
}

export const changeOf = <S extends z.ZodRawShape>(fields: S) =>
  z.object(fields).partial().extend({ id: recordId().optional() });

export function page<const W extends Who, R extends z.ZodObject, const F extends z.ZodRawShape>(
  url: string,
  who: W,
  summary: string,
  { record, filters }: { record: R; filters: F },
) {
  const fields = Object.keys(record.shape) as [string, ...string[]];
  return get(url, {
    summary,
    ...who,
    query: z.object({ ...filters, ...listQuery("curPage", fields) }),
    data: pageOf(record),
  });
}

export const read = <const W extends Who, D extends z.ZodType>(url: string, who: W, summary: string, data: D) =>
  get(url, { summary, ...who, data });

export const daySpan = {
  startDate: day().optional().describe("First day, inclusive"),
  endDate: day().optional().describe("Last day, inclusive"),
};

export const find = <const W extends Who, const P extends z.ZodRawShape, R extends z.ZodObject>(
  url: string,
  who: W,
  summary: string,
  params: P,
  record: R,
) =>
  get(url, {
    summary,
    ...who,
    params: z.object(params),
    data: record,
    problems: ["notFound"],
  });

export const info = <const W extends Who, R extends z.ZodObject>(url: string, who: W, summary: string, record: R) =>
  find(`${url}/:id`, who, summary, { id: recordId() }, record);

/** Describes a create operation. An id in the body and the fields in `unread` are ignored. */
export const save = <const W extends Who, const S extends z.ZodRawShape>(
  url: string,
  who: W,
  summary: string,
  fields: S,
  problems: readonly ProblemName[] = [],
  unread: Readonly<Record<string, UnreadField>> = {},
) =>
  post(url, {
    summary,
    ...who,
    body: ignoresFields(z.object(fields), { id: "id", ...unread }),
    idempotent: true,
    problems,
  });

export const update = <const W extends Who, const S extends z.ZodRawShape>(
  url: string,
  who: W,
  summary: string,
  fields: S,
  problems: readonly ProblemName[] = [],
  unread: Readonly<Record<string, UnreadField>> = {},
) =>
  put(url, {
    summary,
    ...who,
    body: ignoresFields(changeOf(fields), unread),
    problems: ["idMissing", "notFound", ...problems],
  });

/**
 * Describes a delete operation, whose body is a bare array of ids. Unknown ids are ignored, unless all ids are unknown
 * (notFound).
 */
export const remove = <const W extends Who>(url: string, who: W, summary: string) =>
  under(prefix).remove(url, {
    summary,
    ...who,
    body: z.array(recordId()).max(10_000),
    problems: ["idMissing", "notFound"],
  });

export const template = <const W extends Who = typeof own>(url: string, summary: string, who?: W) =>
  get(url, {
    summary,
    ...(who ?? own),
    answer: { as: "file", mime: workbookMime },
  });

/**
 * The limit for a body with rich content. The content takes up to 2 MiB; the rest is for JSON escapes and the other
 * fields.
 */
export const richBodyBytes = 8 * 1024 * 1024;
