import * as z from "zod";
import { inTransaction } from "#platform/database/index.ts";
import { type JobTask, taskWith } from "#platform/jobs/runner.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { Settings } from "#platform/process/config.ts";
import { findChannel } from "./channel-store.ts";
import { composeMessage, type Wording } from "./message.ts";
import type { Channel, NamedCondition } from "./model.ts";
import { sendMessage } from "./sending.ts";
import { listNews, markFailed, markTold } from "./telling-store.ts";

/** After each failure in a row, the last for all that follow: a channel is not given up while it is switched on. */
const pausesMinutes = [1, 2, 4, 8, 15];

/** Tells a channel all that it has not been told, in one message. Jobs of one channel run one after the other. */
export const tellingTask = (platform: Platform, conditions: readonly NamedCondition[]): JobTask =>
  taskWith(z.object({ channelId: z.int() }), ({ channelId }) => tellChannel(platform, conditions, channelId));

async function tellChannel(
  { pool, settings, clock, log }: Platform,
  conditions: readonly NamedCondition[],
  channelId: number,
): Promise<void> {
  const channel = await findChannel(pool, channelId);
  if (!channel?.enabled) return;
  const news = await listNews(pool, channelId);
  if (news.length === 0) return;
  const message = composeMessage(news, toWording(channel, settings, conditions));
  const { error } = await sendMessage(channel, message, settings, clock());
  if (error !== null) log.warn({ channel: channelId, failure: error }, "a channel of alerts could not be told");
  await inTransaction(pool, (tx) =>
    error === null ? markTold(tx, channelId, news) : markFailed(tx, channelId, error, pausesMinutes),
  );
}

export const toWording = (
  { language }: Pick<Channel, "language">,
  { TIME_ZONE: timeZone, PUBLIC_URL: publicUrl, BASE_PATH: base }: Settings,
  conditions: readonly NamedCondition[],
): Wording => ({
  conditions,
  language,
  timeZone,
  link: publicUrl === undefined ? undefined : `${publicUrl}${base}/console/platform/alerts`,
});
