import * as z from "zod";
import { explain, Problem } from "#platform/contract/problem.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { inLongTransaction, inTransaction } from "#platform/database/index.ts";
import { addJob, type JobTasks, type RecurringJob, typedTask } from "#platform/jobs/runner.ts";
import {
  GatewayError,
  gatewayNames,
  type GatewayName,
  type StatementRow,
} from "#services/tuition-payment/gateways/gateway.ts";
import { askOrder } from "./deciding.ts";
import { type Desk, getGateway } from "./desk.ts";
import { findOrder } from "./order-store.ts";
import { closeSettled, compareDay, listLongToAsk, listMissedDays, type LongRow } from "./reconcile-store.ts";
import { settleRefund } from "./settle.ts";

const zone = "Asia/Shanghai";

export const dayOf = (nowMs: number, daysAgo: number): string =>
  formatDateTime(new Date(nowMs - daysAgo * 86_400_000), zone).slice(0, 10);

export const dayBefore = (date: string, days: number): string => dayOf(Date.parse(`${date}T00:00:00+08:00`), days);

/**
 * @throws {Problem} badFormat for a future day, outsideNotConfigured, notAllowedNow before the statement is ready,
 * outsideFailed if the gateway fails
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
  throw explain("notAllowedNow", "对账单尚未生成", "the gateway has not created the statement yet");
}

const mostAskedAtOnce = 8;

export async function askLong(desk: Desk, name: GatewayName, date: string): Promise<void> {
  const rows = (await listLongToAsk(desk.platform.pool, name, date)).values();
  const work = async () => {
    for (const row of rows) await askAbout(desk, row);
  };
  await Promise.all(Array.from({ length: mostAskedAtOnce }, work));
}

async function askAbout(desk: Desk, { orderNo, refundNo, tradeNo, theirFen, at }: LongRow): Promise<void> {
  const { pool } = desk.platform;
  try {
    await askOrder(desk, orderNo);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
  if (refundNo !== "") {
    const order = await findOrder(pool, orderNo);
    const refund = { state: "done", amountFen: -theirFen, refundTradeNo: tradeNo, doneAt: at } as const;
    const { gateway } = order ?? {};
    // This settles a refund that the gateway's queries do not show but its statement does.
    if (gateway) await inTransaction(pool, (tx) => settleRefund(tx, { orderNo, gateway, refundNo, refund }));
  }
  await closeSettled(pool, orderNo);
}

/** Converts a time of day in Beijing, which has no daylight saving time, to a cron pattern in UTC. */
export function toDailyPattern(time: string): string {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  return `${minute} ${(hour + 16) % 24} * * *`;
}

const task = "tuition-payment-reconcile";
const dailyTask = `${task}-daily`;
const mostDays = 7;

export function reconcileJobs(desk: Desk): { tasks: JobTasks; recurring: RecurringJob[] } {
  const { clock, pool, settings } = desk.platform;
  const { all } = desk.gateways;
  return {
    tasks: {
      // If the statement is not ready, the job fails and is retried.
      [task]: typedTask(z.object({ gateway: z.enum(gatewayNames), date: z.string() }), async ({ gateway, date }) => {
        if (!all.has(gateway)) return;
        const rows = await fetchRows(desk, gateway, date);
        await inLongTransaction(pool, (tx) => compareDay(tx, gateway, date, rows));
        await askLong(desk, gateway, date);
      }),
      // After an outage, earlier days may lack a statement too. Job keys prevent a second job for the same day if
      // several processes run this task.
      [dailyTask]: async () => {
        const yesterday = dayOf(clock(), 1);
        for (const gateway of all.keys())
          for (const date of await listMissedDays(pool, gateway, yesterday, mostDays))
            await addJob(pool, task, { gateway, date }, { key: `${task} ${gateway} ${date}` });
      },
    },
    recurring: [{ task: dailyTask, pattern: toDailyPattern(settings.PAY_RECONCILE_TIME) }],
  };
}
