import type * as z from "zod";
import { type Page, toPage } from "#platform/contract/envelope.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { toListOrder } from "#platform/contract/sorting.ts";
import { type Db, Within } from "#platform/database/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import { toYuan } from "#services/tuition-payment/amounts.ts";
import { type DueItem, listDues } from "#services/tuition-payment/due-store.ts";
import { listPayablesOfCard } from "#services/tuition-payment/payable-store.ts";
import { spellCard } from "#services/tuition-payment/own-store.ts";
import { toOwnPayable } from "#services/tuition-payment/payables.ts";
import { closeOrder } from "./change-store.ts";
import type { studentOrderEndpoints } from "./contract.ts";
import { describeGateway, type Desk, getGateway, listGateways, requireOrder } from "./desk.ts";
import { listTried } from "./history-store.ts";
import { findOrder, findOwnOrder, listOrders, type OrderFilter, type OrderRow } from "./order-store.ts";
import { createOrder, payOrder } from "./paying.ts";
import { askPayment, closePaying, forCaller } from "./settle.ts";
import { type Order, toOrder, toTime } from "./wire.ts";

export function studentOrderHandlers(desk: Desk): Handlers<typeof studentOrderEndpoints> {
  const { pool, settings } = desk.platform;
  const zone = settings.TIME_ZONE;
  const present = async (orderNo: string) => toOrder(requireOrder(await findOrder(pool, orderNo)), zone);
  return {
    listGateways: async ({ request, language }) => listGateways(desk, request, language),

    listPayableItems: async ({ db, guest: card }) => {
      const rows = await listPayablesOfCard(db, card);
      const dues = await listDues(
        db,
        rows.map(({ id }) => id),
      );
      return rows.map((row) => ({
        ...toOwnPayable(row, zone),
        items: dues.filter(({ payableId }) => payableId === row.id).map((item) => toItem(item, row.paidBy !== null)),
      }));
    },

    listConfiguredGateways: async ({ db, language }) => {
      const tried = await listTried(db, [...desk.gateways.all.keys()]);
      return [...desk.gateways.all.values()].map((gateway) => {
        const seen = tried.find(({ gateway: name }) => name === gateway.name);
        return {
          ...describeGateway(desk, gateway, language),
          lastPayment: toTime(seen?.lastPayment ?? null, zone),
          lastRefund: toTime(seen?.lastRefund ?? null, zone),
          lastStatement: seen?.lastStatement ?? null,
        };
      });
    },

    createOrder: withoutTransaction(async ({ body, guest: card, transact }) => {
      const made: OrderRow[] = [];
      const orderNo = await transact(async (tx) => {
        made[0] = await createOrder(tx, desk, card, body);
        return made[0].orderNo;
      });
      // A retried request gets the order that the first call created.
      return made[0] ? toOrder(made[0], zone) : present(orderNo);
    }),

    payOrder: withoutTransaction(async ({ params: { orderNo }, body, guest: card, request }) => {
      const order = requireOrder(await findOwnOrder(pool, orderNo, card));
      return payOrder(desk, order, body, request);
    }),

    queryOrder: async ({ params: { gateway: name, orderNo }, guest: card }) => {
      const order = requireOrder(await findOwnOrder(pool, orderNo, card));
      if (order.gateway !== name) throw new Problem("otherGateway");
      const gateway = getGateway(desk, name);
      if (order.status === "paying" || order.status === "closed")
        await forCaller(name, "query", () => askPayment(desk, gateway, order, "query"));
      return present(orderNo);
    },

    closeOrder: withoutTransaction(async ({ params: { orderNo }, guest: card }) => {
      await closeOwn(desk, requireOrder(await findOwnOrder(pool, orderNo, card)));
      return present(orderNo);
    }),

    listOwnOrders: async ({ db, guest: card, query }) =>
      presentOrders(db, { within: Within.everywhere, whose: spellCard(db, card) }, query, zone),

    findOwnOrder: async ({ db, params, guest: card }) =>
      toOrder(requireOrder(await findOwnOrder(db, params.orderNo, card)), zone),
  };
}

const toItem = ({ name, amountFen, dueFen, state }: DueItem, isPaid: boolean) => ({
  name,
  amount: toYuan(amountFen),
  due: toYuan(dueFen),
  state: isPaid || (dueFen === 0 && amountFen > 0) ? ("paid" as const) : (state ?? ("unpaid" as const)),
});

async function closeOwn(desk: Desk, order: OrderRow): Promise<void> {
  if (order.status !== "created" && order.status !== "paying")
    throw explain("notAllowedNow", "订单当前不能关闭", "the order cannot be closed in its current state");
  const { gateway: name } = order;
  const closed =
    name === null
      ? (await closeOrder(desk.platform.pool, order.id, "created", "student")) && "closed"
      : await forCaller(name, "query", () => closePaying(desk, getGateway(desk, name), order, "student"));
  if (closed === "closed") return;
  throw closed === "paid"
    ? explain("notAllowedNow", "订单已支付", "the order has already been paid")
    : explain(
        "notAllowedNow",
        "订单状态已变化，请刷新后重试",
        "the state of the order has changed; reload it and try again",
      );
}

export async function presentOrders(
  db: Db,
  filter: OrderFilter,
  query: z.output<(typeof studentOrderEndpoints)["listOwnOrders"]["query"]>,
  zone: string,
): Promise<Page<Order>> {
  const { rows, totalCount } = await listOrders(db, filter, toListOrder(query, "createTime"));
  const list = rows.map((row) => toOrder(row, zone));
  return toPage(list, totalCount, query);
}
