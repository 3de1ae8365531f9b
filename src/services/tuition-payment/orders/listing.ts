import type * as z from "zod";
import { type Page, toPage } from "#platform/contract/envelope.ts";
import { toRange } from "#platform/contract/sorting.ts";
import type { Db } from "#platform/database/index.ts";
import type { orderEndpoints } from "./contract.ts";
import { listOrders, type OrderFilter } from "./order-store.ts";
import { type Order, toOrder } from "./wire.ts";

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
