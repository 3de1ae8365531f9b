import type * as z from "zod";
import { type Page, toPage } from "#platform/contract/envelope.ts";
import { isDescending, type SortQuery } from "#platform/contract/sorting.ts";
import type { Db } from "#platform/database/index.ts";
import type { orderEndpoints } from "./contract.ts";
import { listOrders, type OrderFilter } from "./order-store.ts";
import { type Order, toOrder } from "./wire.ts";

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

/** The page that a query asks for, of the orders that pass the filter. */
export async function presentOrders(
  db: Db,
  filter: OrderFilter,
  query: z.output<(typeof orderEndpoints)["listOwnOrders"]["query"]>,
  zone: string,
): Promise<Page<Order>> {
  const { curPage: currPage, pageSize, orderField: field = "createTime" } = query;
  const { rows, totalCount } = await listOrders(db, filter, { field, ...toRange(query) });
  const list = rows.map((row) => toOrder(row, zone));
  return toPage(list, totalCount, { currPage, pageSize });
}
