import * as z from "zod";
import { inTransaction } from "#platform/database/index.ts";
import { type JobTask, type JobTasks, type RecurringJob, taskWith } from "#platform/jobs/runner.ts";
import { type Gateway, GatewayError } from "#services/tuition-payment/gateways/gateway.ts";
import { askPayment, closeCreated, closePaying, forgetOrder } from "./asking.ts";
import { listOverdue, pollAfter, wakeOrders, watchTask } from "./change-store.ts";
import type { Desk } from "./desk.ts";
import { findOrderById, type OrderRow } from "./order-store.ts";
import { reconcileDay, reconcileTask, reconcileYesterday, toDailyPattern } from "./reconciling.ts";
import { pursueRefund } from "./refunding.ts";
import { chooseStep, pollAfterSeconds } from "./rules.ts";

/** The job of one order: whatever is due is done, and when to come again is stored with what it led to. */
export const watchOrders = (desk: Desk): JobTask =>
  taskWith(z.object({ orderId: z.number() }), async ({ orderId }) => {
    const order = await findOrderById(desk.platform.pool, orderId);
    // A job that came too early, or twice, leaves the order to the one that is set.
    if (order?.isDue) await takeStep(desk, order);
  });

async function takeStep(desk: Desk, order: OrderRow): Promise<void> {
  const gateway = order.gateway === null ? undefined : desk.gateways.all.get(order.gateway);
  const step = chooseStep(order.status, order.isExpired, order.gateway !== null);
  if (step === "none") return order.status === "created" ? undefined : forgetOrder(desk, order.id);
  if (step === "close" && order.status === "created") return void (await closeCreated(desk, order, "limit"));
  // A gateway that is not configured any more may be again.
  if (!gateway) return comeAgain(desk, order);
  if (step === "refund") return pursueRefund(desk, gateway, order);
  try {
    await askAbout(desk, gateway, order, step);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    await comeAgain(desk, order);
  }
}

async function askAbout(
  desk: Desk,
  gateway: Gateway,
  order: OrderRow,
  step: "close" | "poll" | "askAgain",
): Promise<void> {
  if (step === "close") {
    const closed = await closePaying(desk, gateway, order, "limit");
    const isStuck = closed === "paid" && (await findOrderById(desk.platform.pool, order.id))?.status === "paying";
    return isStuck ? comeAgain(desk, order) : undefined;
  }
  const { settled } = await askPayment(desk, gateway, order, "poll");
  if (settled === "paid" || settled === "surplus" || settled === "known") return;
  return step === "poll" ? comeAgain(desk, order) : forgetOrder(desk, order.id);
}

const comeAgain = ({ platform: { pool } }: Desk, { id, asked }: OrderRow): Promise<void> =>
  inTransaction(pool, (tx) => pollAfter(tx, id, pollAfterSeconds(asked + 1)));

const mostAtOnce = 1000;

/** Orders whose job was lost get one: a database that was put back may have orders without their jobs. */
export const findOverdueOrders =
  ({ platform: { pool } }: Desk): JobTask =>
  () =>
    inTransaction(pool, async (tx) => wakeOrders(tx, await listOverdue(tx, mostAtOnce)));

const overdueTask = "tuition-payment-overdue";
const dailyTask = "tuition-payment-reconcile-daily";

/** What is done about orders without anybody asking. */
export const orderTasks = (desk: Desk): JobTasks => ({
  [watchTask]: watchOrders(desk),
  [overdueTask]: findOverdueOrders(desk),
  [reconcileTask]: reconcileDay(desk),
  [dailyTask]: reconcileYesterday(desk),
});

export const orderTimes = ({ platform: { settings } }: Desk): readonly RecurringJob[] => [
  { task: overdueTask, pattern: "* * * * *" },
  { task: dailyTask, pattern: toDailyPattern(settings.PAY_RECONCILE_TIME) },
];
