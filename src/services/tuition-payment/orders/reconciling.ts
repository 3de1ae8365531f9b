import * as z from "zod";
import { explain, Problem } from "#platform/contract/problem.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, inLongTransaction } from "#platform/database/index.ts";
import { addJob, type JobTask, type JobTasks, type RecurringJob, taskWith } from "#platform/jobs/runner.ts";
import {
  GatewayError,
  gatewayNames,
  type GatewayName,
  type StatementRow,
} from "#services/tuition-payment/gateways/gateway.ts";
import { type Desk, getGateway } from "./desk.ts";
import { compareDay, type Comparison, listMissedDays, storeStatement } from "./reconcile-store.ts";

const zone = "Asia/Shanghai";

/** The day of Beijing so many days ago, `yyyy-MM-dd`. */
const dayOf = (nowMs: number, daysAgo: number): string =>
  formatDateTime(new Date(nowMs - daysAgo * 86_400_000), zone).slice(0, 10);

/**
 * A gateway's statement of a day.
 * @throws {Problem} badFormat for a day to come, notAllowedNow while there is no statement, outsideFailed
 */
export async function fetchRows(desk: Desk, name: GatewayName, date: string): Promise<readonly StatementRow[]> {
  if (date > dayOf(desk.platform.clock(), 0))
    throw explain("badFormat", "date: 不能晚于今天", "date: must not be after today");
  const gateway = getGateway(desk, name);
  const statement = await gateway.fetchStatement(date).catch((error: unknown) => {
    if (error instanceof GatewayError) throw new Problem("outsideFailed");
    throw error;
  });
  if (statement.state === "ready") return statement.rows;
  throw explain("notAllowedNow", "对账单尚未生成", "the gateway has not made the statement yet");
}

/** Keeps the statement and what it differs in from the orders, as one change. */
export async function compareRows(
  tx: Db,
  name: GatewayName,
  date: string,
  rows: readonly StatementRow[],
): Promise<Comparison> {
  await storeStatement(tx, name, date, rows);
  return compareDay(tx, name, date);
}

const reconcileTask = "tuition-payment-reconcile";

/** One gateway's day: tried again until the statement is there. */
const reconcileDay = (desk: Desk): JobTask =>
  taskWith(z.object({ gateway: z.enum(gatewayNames), date: z.string() }), async ({ gateway, date }) => {
    if (!desk.gateways.all.has(gateway)) return;
    const rows = await fetchRows(desk, gateway, date);
    await inLongTransaction(desk.platform.pool, (tx) => compareRows(tx, gateway, date, rows));
  });

const mostDays = 7;

/**
 * A job for each gateway, for yesterday and for the days before it that have no statement since there are orders, as
 * after a stop over the time of day; whoever is second to ask finds it there.
 */
const reconcileYesterday =
  (desk: Desk): JobTask =>
  async () => {
    const { clock, pool } = desk.platform;
    const yesterday = dayOf(clock(), 1);
    for (const gateway of desk.gateways.all.keys()) {
      const missed = await listMissedDays(pool, gateway, yesterday, mostDays);
      for (const date of missed)
        await addJob(pool, reconcileTask, { gateway, date }, { key: `${reconcileTask} ${gateway} ${date}` });
    }
  };

/** The pattern of a time of day in Beijing, which has no summer time, for a clock in UTC. */
export function toDailyPattern(time: string): string {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  return `${minute} ${(hour + 16) % 24} * * *`;
}

const dailyTask = "tuition-payment-reconcile-daily";

export const reconcileTasks = (desk: Desk): JobTasks => ({
  [reconcileTask]: reconcileDay(desk),
  [dailyTask]: reconcileYesterday(desk),
});

export const reconcileTimes = ({ platform: { settings } }: Desk): readonly RecurringJob[] => [
  { task: dailyTask, pattern: toDailyPattern(settings.PAY_RECONCILE_TIME) },
];
