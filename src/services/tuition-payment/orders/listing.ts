import type * as z from "zod";
import { type Page, toPage } from "#platform/contract/envelope.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
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
  const { rows, totalCount } = await listOrders(db, filter, toListOrder(query, "createTime"));
  const list = rows.map((row) => toOrder(row, zone));
  return toPage(list, totalCount, query);
}
