export interface SortQuery {
  readonly orderField?: string | undefined;
  readonly order?: string | undefined;
}

/**
 * If `order` is omitted, a requested field sorts ascending, and without a requested field the list starts with the
 * newest.
 */
export const isDescending = ({ orderField, order }: SortQuery): boolean =>
  order === undefined ? orderField === undefined : order.toLowerCase() === "desc";

export type PageQuery = { readonly pageSize: number } & ({ readonly currPage: number } | { readonly curPage: number });

export const pageNumber = (query: PageQuery): number => ("currPage" in query ? query.currPage : query.curPage);

export interface Range {
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export interface ListOrder<Field extends string> extends Range {
  readonly field: Field;
}

export const toRange = (query: PageQuery & SortQuery): Range => ({
  descending: isDescending(query),
  offset: (pageNumber(query) - 1) * query.pageSize,
  limit: query.pageSize,
});

export const toListOrder = <Field extends string>(
  query: PageQuery & SortQuery & { readonly orderField?: Field | undefined },
  usual: NoInfer<Field>,
): ListOrder<Field> => ({ field: query.orderField ?? usual, ...toRange(query) });
