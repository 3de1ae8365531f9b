import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import { watchTask } from "./change-store.ts";
import type { Desk } from "./desk.ts";
import { reconcileDay, reconcileTask, reconcileYesterday, toDailyPattern } from "./reconciling.ts";
import { findOverdueOrders, watchOrders } from "./watching.ts";

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
