import type { PaginationProps } from "antd";
import { useEffect, useState } from "react";
import type { ListState } from "#console/blocks/list-page/address.ts";
import { texts } from "#console/blocks/texts.ts";
import type { Operation } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";

/** Which page is shown of how many records. */
export interface Paging {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly onPage: (page: number, size: number) => void;
}

/** The rows of an answer, and how many there are in all. */
export interface Page<R> {
  readonly rows: readonly R[];
  readonly total: number;
}

/** Reads what an operation gives: a page, or an array. */
export function readPage<R>(data: unknown): Page<R> {
  if (Array.isArray(data)) return { rows: data as R[], total: data.length };
  const page = data as { list: R[]; totalCount: number } | undefined;
  return { rows: page?.list ?? [], total: page?.totalCount ?? 0 };
}

/** The parameters by which an operation gives the page; none when it gives an array. */
export function toPageQuery({ page: parameter }: Operation, { page, size, sort, order }: ListState): object {
  const sorting = sort && order ? { orderField: sort, order } : {};
  return parameter ? { [parameter]: page, pageSize: size, ...sorting } : {};
}

/** What is gone from the end of a list takes its last page along: then the one before is shown. */
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

/** The paging as the library's controls take it; rows that nobody cut are cut here, apart from the address. */
export function usePaging(given: Paging | undefined, count: number, pageSize: number): PaginationProps {
  const t = useTexts(texts);
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
