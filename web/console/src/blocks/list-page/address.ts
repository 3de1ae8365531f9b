import { useSearchParams } from "react-router";
import type { PaginationProps } from "antd";
import { useEffect, useState } from "react";
import { useTexts } from "#console/blocks/texts.ts";
import type { Operation } from "#shared/call/operation.ts";

/** A list's state is kept in the address; the filters have the API's names. */
export interface ListState {
  readonly filters: Readonly<Record<string, string>>;
  readonly page: number;
  readonly size: number;
  readonly sort: string | undefined;
  readonly order: "asc" | "desc" | undefined;
  readonly view: string | undefined;
}

const standardSize = 20;
const own = new Set(["page", "size", "sort", "order", "open", "view"]);

export function useListState(): readonly [ListState, (change: Partial<ListState>) => void] {
  const [search, setSearch] = useSearchParams();
  const state: ListState = {
    filters: Object.fromEntries([...search].filter(([name, value]) => !own.has(name) && value !== "")),
    page: toWhole(search.get("page"), 1),
    size: toWhole(search.get("size"), standardSize),
    sort: search.get("sort") ?? undefined,
    order: search.get("order") === "desc" ? "desc" : search.get("order") === "asc" ? "asc" : undefined,
    view: search.get("view") ?? undefined,
  };
  const change = (part: Partial<ListState>) => setSearch(toSearch({ ...state, ...part }));
  return [state, change];
}

const toWhole = (text: string | null, standard: number): number =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : standard;

function toSearch({ filters, page, size, sort, order, view }: ListState): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== "") search.set(name, value);
  if (page !== 1) search.set("page", String(page));
  if (size !== standardSize) search.set("size", String(size));
  if (sort && order) {
    search.set("sort", sort);
    search.set("order", order);
  }
  if (view) search.set("view", view);
  return search;
}

/** The address names the record that is open beside the list, so that a link can open the record. */
export function useOpened(): readonly [
  string | undefined,
  (id: string | number | undefined, options?: { readonly replace: boolean }) => void,
] {
  const [search, setSearch] = useSearchParams();
  const open = (id: string | number | undefined, options?: { readonly replace: boolean }) =>
    setSearch(() => {
      // The current address is read instead of the rendered one: closing a record after a call must not undo a search
      // made meanwhile.
      const next = new URLSearchParams(window.location.search);
      if (id === undefined) next.delete("open");
      else next.set("open", String(id));
      return next;
    }, options);
  return [search.get("open") ?? undefined, open];
}

export interface Paging {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly onPage: (page: number, size: number) => void;
}

interface Page<R> {
  readonly rows: readonly R[];
  readonly total: number;
}

export function readPage<R>(data: unknown): Page<R> {
  if (Array.isArray(data)) return { rows: data as R[], total: data.length };
  const page = data as { list: R[]; totalCount: number } | undefined;
  return { rows: page?.list ?? [], total: page?.totalCount ?? 0 };
}

export interface Cursors {
  readonly nextCursor: string | null;
}

export const readCursors = (data: unknown): Cursors | undefined =>
  typeof data === "object" && data !== null && "nextCursor" in data ? (data as Cursors) : undefined;

export function toPageQuery({ page: parameter }: Operation, { page, size, sort, order }: ListState): object {
  const sorting = sort && order ? { orderField: sort, order } : {};
  return parameter ? { [parameter]: page, pageSize: size, ...sorting } : {};
}

export function useLastPage(
  { page: parameter }: Operation,
  { page, size }: ListState,
  { rows, total }: Page<unknown>,
  change: (part: Partial<ListState>) => void,
): void {
  const last = Math.ceil(total / size);
  const past = parameter !== undefined && rows.length === 0 && total > 0 && page > last;
  useEffect(() => {
    if (past) change({ page: last });
  });
}

export function usePaging(given: Paging | undefined, count: number, pageSize: number): PaginationProps {
  const t = useTexts();
  const [own, setOwn] = useState({ page: 1, size: pageSize });
  const last = Math.max(1, Math.ceil(count / own.size));
  const { page, size, total, onPage } = given ?? {
    ...own,
    page: Math.min(own.page, last),
    total: count,
    onPage: (next: number, nextSize: number) => setOwn({ page: next, size: nextSize }),
  };
  return {
    current: page,
    pageSize: size,
    total,
    hideOnSinglePage: !given,
    size: "small",
    showSizeChanger: true,
    pageSizeOptions: [10, 20, 50, 100, 200],
    showTotal: (all, [from, to]) => t.total(all, from, to),
    showQuickJumper: total > size * 10,
    onChange: onPage,
  };
}
