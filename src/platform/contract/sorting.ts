/** The part of a list's query that says in what order. */
export interface SortQuery {
  readonly orderField?: string | undefined;
  readonly order?: string | undefined;
}

/** A field that was asked for sorts ascending unless the query says otherwise; without one a list is newest first. */
export const isDescending = ({ orderField, order }: SortQuery): boolean =>
  order === undefined ? orderField === undefined : order.toLowerCase() === "desc";

interface PageQuery extends SortQuery {
  readonly curPage: number;
  readonly pageSize: number;
}

/** Which rows a query asks for, in the words of the stores. */
export const toRange = (query: PageQuery) => ({
  descending: isDescending(query),
  offset: (query.curPage - 1) * query.pageSize,
  limit: query.pageSize,
});
