export interface SortQuery {
  readonly orderField?: string | undefined;
  readonly order?: string | undefined;
}

/** A field that was asked for sorts ascending unless the query says otherwise; without one a list is newest first. */
export const isDescending = ({ orderField, order }: SortQuery): boolean =>
  order === undefined ? orderField === undefined : order.toLowerCase() === "desc";

/** The part of a list's query that says which page, in the spelling of its service. */
export type PageQuery = { readonly pageSize: number } & ({ readonly currPage: number } | { readonly curPage: number });

/** The page that is asked for; the first is 1. */
export const pageNumber = (query: PageQuery): number => ("currPage" in query ? query.currPage : query.curPage);

/** Which rows of a list are asked for, in the words of the stores. */
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

/** The order of a list that is sorted by `usual` where its query names no field. */
export const toListOrder = <Field extends string>(
  query: PageQuery & SortQuery & { readonly orderField?: Field | undefined },
  usual: NoInfer<Field>,
): ListOrder<Field> => ({ field: query.orderField ?? usual, ...toRange(query) });
