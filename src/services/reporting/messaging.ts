import * as z from "zod";
import { Problem } from "#platform/contract/problem.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, inTransaction, type Pool } from "#platform/database/index.ts";
import { digest } from "#platform/http/idempotency.ts";
import { addJob, type JobRun, type JobTasks, typedTask } from "#platform/jobs/runner.ts";
import { type Messaging, OutsideError } from "#platform/messaging/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { Receipts } from "./receipts.ts";
import { type Verdict, type VerdictCode, verdicts } from "./rules.ts";
import { setOpenId } from "./store.ts";

// Finding the submitter of a report and sending the message about a verdict are persistent jobs, so that an outage of
// the messaging platform loses neither.

/** The field of the messaging platform's template has room for five characters. */
const words = { 1: "有效", 2: "无效", 3: "待补充" } as const;

const findTask = "reporting-find-submitter";
const sendTask = "reporting-send-verdict";
// With graphile-worker's exponential back-off, this many attempts take about three days.
const mostAttempts = 20;
const knownMinutes = 10;

export async function askOutside<T>(messaging: Messaging | null, ask: (platform: Messaging) => Promise<T>): Promise<T> {
  if (!messaging) throw new Problem("outsideNotConfigured");
  try {
    return await ask(messaging);
  } catch (error) {
    if (!(error instanceof OutsideError)) throw error;
    if (error.kind !== "code-invalid") throw new Problem("outsideFailed");
    throw new Problem("notAllowedNow", {
      detail: { zh: "code 无效、已使用或已过期", en: "the code is invalid, already used or expired" },
    });
  }
}

/**
 * The page may send a code a second time with the report, but the messaging platform accepts a code only once, so the
 * OpenID is kept for ten minutes.
 */
export async function rememberOpenId(db: Db, code: string, openId: string): Promise<void> {
  await db`
    insert into reporting.known_open_id (code_hash, open_id, expires_at)
    values (${digest(code)}, ${openId}, now() + make_interval(mins => ${knownMinutes}))
    on conflict (code_hash) do update set open_id = excluded.open_id, expires_at = excluded.expires_at`;
}

export const recallOpenId = (db: Db, code: string): Promise<string | undefined> =>
  db.value<string | undefined>`
    select open_id as "openId" from reporting.known_open_id where code_hash = ${digest(code)} and expires_at > now()`;

export async function linkSubmitter(tx: Db, reportId: number, code: string): Promise<void> {
  const openId = await recallOpenId(tx, code);
  if (openId === undefined) await addJob(tx, findTask, { reportId, code }, { maxAttempts: mostAttempts });
  else await setOpenId(tx, reportId, openId);
}

/** Queues a message about the verdict. A waiting message about an earlier verdict is no longer sent. */
export async function queueVerdict(tx: Db, reportId: number, verdict: Verdict, ps: string | undefined): Promise<void> {
  await tx.send`update reporting.verdict_message set state = 'superseded', settled_at = now() where report_id = ${reportId} and state = 'waiting'`;
  const messageId = await tx.value<number>`
    insert into reporting.verdict_message (report_id, verdict, ps) values (${reportId}, ${verdicts[verdict]}, ${ps ?? null})
    returning id`;
  await addJob(tx, sendTask, { messageId }, { maxAttempts: mostAttempts });
}

async function settleMessage(pool: Pool, id: number, state: "sent" | "refused", errorCode?: number): Promise<void> {
  await pool`
    update reporting.verdict_message set state = ${state}, error_code = ${errorCode ?? null}, settled_at = now()
    where id = ${id} and state = 'waiting'`;
}

export const messagingTasks = (platform: Platform, receipts: () => Receipts): JobTasks => ({
  [findTask]: typedTask(z.object({ reportId: z.int(), code: z.string() }), ({ reportId, code }) =>
    findSubmitter(platform, reportId, code),
  ),
  [sendTask]: typedTask(z.object({ messageId: z.int() }), ({ messageId }, run) =>
    sendVerdict(platform, messageId, receipts(), run),
  ),
});

async function findSubmitter({ pool, messaging }: Platform, reportId: number, code: string): Promise<void> {
  if (!messaging) return;
  const known = await recallOpenId(pool, code);
  try {
    await setOpenId(pool, reportId, known ?? (await messaging.identify(code)).openId);
  } catch (error) {
    // An invalid or used code will not become valid, so the report is left without a submitter, as if no code had been
    // sent.
    if (error instanceof OutsideError && !error.retryable) return;
    throw error;
  }
}

async function sendVerdict(
  { pool, messaging, settings }: Platform,
  messageId: number,
  receipts: Receipts,
  run: JobRun,
): Promise<void> {
  const [message] = await pool<
    { verdict: VerdictCode; ps: string | null; reportId: number; openId: string; entryName: string; createdAt: Date }[]
  >`
    select message.verdict, message.ps, report_id as "reportId", open_id as "openId", entry_name as "entryName",
      message.created_at as "createdAt"
    from reporting.verdict_message as message join reporting.report on report.id = report_id
    where message.id = ${messageId} and state = 'waiting' and open_id is not null`;
  if (!message || !messaging?.sendVerdict) return;
  try {
    await messaging.sendVerdict({
      openId: message.openId,
      receipt: receipts.make(message.reportId),
      verdict: words[message.verdict],
      ps: message.ps ?? "",
      entryName: message.entryName,
      time: formatDateTime(message.createdAt, settings.TIME_ZONE),
    });
    await settleMessage(pool, messageId, "sent");
  } catch (error) {
    await settleFailure(pool, messageId, error, run);
  }
}

async function settleFailure(pool: Pool, messageId: number, error: unknown, run: JobRun): Promise<void> {
  if (!(error instanceof OutsideError)) throw error;
  if (!error.retryable || run.isLastAttempt) {
    run.log.warn(
      { service: error.service, errcode: error.errcode, kind: error.kind },
      "the message about a verdict could not be sent",
    );
    return settleMessage(pool, messageId, "refused", error.errcode);
  }
  if (error.retryAfterMs === undefined) throw error;
  // If the daily quota is exhausted, all messages would be retried at the same moment. A random delay of up to ten
  // minutes spreads the retries.
  const runAt = new Date(Date.now() + error.retryAfterMs + Math.random() * 600_000);
  await inTransaction(pool, (tx) => addJob(tx, sendTask, { messageId }, { maxAttempts: mostAttempts, runAt }));
}
