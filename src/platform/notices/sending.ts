import * as z from "zod";
import { toLoggable } from "#platform/contract/loggable.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Db, inTransaction } from "#platform/database/index.ts";
import { addJob, type JobTasks, type RecurringJob, typedTask } from "#platform/jobs/runner.ts";
import type { NamedNotice } from "#platform/process/notice.ts";
import type { Platform } from "#platform/process/platform.ts";
import { openWriters, type Outcome, type Writer } from "./channels.ts";
import { type NoticeChannel, noticeChannels } from "./contract.ts";
import {
  claimDue,
  type Due,
  expireStale,
  listDueChannels,
  listEnabledKinds,
  listReachable,
  markCollected,
  pauseChannel,
  queueNotices,
  resumeChannel,
  recordOutcomes,
} from "./store.ts";
import { isQuietHours, composeWording } from "./words.ts";

export interface NoticeParts {
  readonly platform: Platform;
  readonly kinds: readonly NamedNotice[];
}

const minuteTask = "platform-notices";
const collectTask = "platform-notices-seek";
const sendTask = "platform-notices-send";

export function noticeTasks(parts: NoticeParts): { tasks: JobTasks; recurring: readonly RecurringJob[] } {
  const send = typedTask(z.object({ channel: z.enum(noticeChannels) }), ({ channel }) => sendDue(parts, channel));
  return {
    tasks: { [minuteTask]: () => scheduleWork(parts), [collectTask]: () => collectNotices(parts), [sendTask]: send },
    recurring: [{ task: minuteTask, pattern: "* * * * *" }],
  };
}

async function scheduleWork({ platform }: NoticeParts): Promise<void> {
  const at = new Date(platform.clock());
  await expireStale(platform.pool, at);
  await inTransaction(platform.pool, async (tx) => {
    const waiting = await listQueues(tx);
    if (!waiting.has(collectTask)) await addJob(tx, collectTask, {}, { queue: collectTask });
    for (const channel of await listDueChannels(tx, at))
      if (!waiting.has(toQueue(channel))) await addSendJob(tx, channel);
  });
}

/**
 * Lists the queues that already have a job, so that no queue gets a second one. A job key cannot replace this check,
 * because a job that replaces the locked job of a killed process is locked too.
 */
const listQueues = async (tx: Db): Promise<ReadonlySet<string>> =>
  new Set(
    await tx.values<string>`
      select distinct queue_name from graphile_worker.jobs where task_identifier in (${collectTask}, ${sendTask})`,
  );

const toQueue = (channel: NoticeChannel): string => `${sendTask}-${channel}`;
const addSendJob = (tx: Db, channel: NoticeChannel): Promise<void> =>
  addJob(tx, sendTask, { channel }, { queue: toQueue(channel) });

/**
 * Returns the latest of the scheduled hours that has begun today, such as "2026-11-20 9", or "" before the first of
 * them.
 */
export function findHour({ hours = [] }: Pick<NamedNotice, "hours">, local: string): string {
  const [day = "", time = ""] = local.split(" ");
  const hour = hours.findLast((one) => one <= Number(time.slice(0, 2)));
  return hour === undefined ? "" : `${day} ${hour}`;
}

const overlapMs = 5 * 60_000;

/** If collecting one kind fails, the others are still collected, and that kind is retried a minute later. */
async function collectNotices({ platform, kinds }: NoticeParts): Promise<void> {
  const { pool, log, settings, clock } = platform;
  for (const { kind: id, sought, soughtAt } of await listEnabledKinds(pool)) {
    const kind = kinds.find((one) => one.id === id);
    const now = new Date(clock());
    const local = formatDateTime(now, settings.TIME_ZONE);
    const hour = kind?.hours ? findHour(kind, local) : local;
    if (!kind || hour === "" || hour === sought) continue;
    try {
      await collectKind(platform, kind, { now, since: new Date(soughtAt.getTime() - overlapMs), hour });
      await markCollected(pool, id, hour, now);
    } catch (error) {
      log.warn({ notice: id, ...toLoggable(error) }, "notices could not be collected");
    }
  }
}

async function collectKind(
  platform: Platform,
  kind: NamedNotice,
  { now, since, hour }: { readonly now: Date; readonly since: Date; readonly hour: string },
): Promise<void> {
  const { pool, settings } = platform;
  const [day = "", begun = ""] = hour.split(" ");
  const administrators = await listReachable(pool, kind.service);
  for await (const notices of kind.find({
    platform,
    since,
    now,
    day,
    hour: Number.parseInt(begun, 10),
    administrators,
  }))
    await inTransaction(pool, (tx) => queueNotices(tx, settings, kind, notices, now));
}

/** If the process is killed, the outcomes of at most this many messages per channel are unknown. */
const sendBatchSize = 16;
/** A job starts no further batch after this time, because a longer job would delay shutdown; the next job continues. */
const maxJobMs = 5000;

async function sendDue({ platform, kinds }: NoticeParts, channel: NoticeChannel): Promise<void> {
  const { pool, settings, clock, retired } = platform;
  const writer = openWriters(settings).get(channel);
  if (!writer) return;
  const gathering = kinds.flatMap(({ id, gather }) => (gather ? [id] : []));
  const endMs = performance.now() + maxJobMs;
  while (!retired.aborted && !isQuietHours(clock(), settings.TIME_ZONE)) {
    if (performance.now() > endMs) return inTransaction(pool, (tx) => addSendJob(tx, channel));
    const due = await claimDue(pool, { channel, at: new Date(clock()), most: sendBatchSize, gathering });
    if (due.length === 0) return;
    const outcomes = await Promise.all(due.map((one) => sendOne(platform, kinds, writer, one)));
    const has = (state: Outcome["state"]): boolean => outcomes.some((one) => one.state === state);
    const isDown = has("down") || (has("unknown") && !has("sent"));
    await inTransaction(pool, async (tx) => {
      const at = new Date(clock());
      await recordOutcomes(tx, outcomes, at);
      await (isDown ? pauseChannel(tx, channel, at) : resumeChannel(tx, channel));
    });
    if (isDown) return;
  }
}

async function sendOne(
  { settings, log, institution }: Platform,
  kinds: readonly NamedNotice[],
  writer: Writer,
  { id, ids, kind, to, fields }: Due,
): Promise<Outcome & { readonly ids: readonly number[] }> {
  const known = kinds.find((one) => one.id === kind);
  if (!known) return { ids, state: "refused", error: "this kind of notice no longer exists" };
  const wording = composeWording(known, fields, ids.length, {
    language: settings.NOTICE_LANGUAGE,
    institution: institution.current(),
  });
  const outcome = await writer.send(to, { id: `notice-${id}`, kind, ...wording });
  if (outcome.state !== "sent")
    log.warn({ notice: id, kind, outcome: outcome.state, failure: outcome.error }, "a notice was not delivered");
  return { ids, ...outcome };
}
