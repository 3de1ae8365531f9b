import { type Db, sql } from "#platform/database/index.ts";
import type { News } from "./model.ts";

// An alert is told to a channel once when it is there and once when it is over: a row of alert_telling each. The rows are
// made in the transaction that writes the alert down, or when a channel is made, or wants more than before; while the alert
// is muted they wait.

const isMuted = sql`exists (
  select from platform.alert_mute as mute
  where mute.condition = alert.condition and mute.subject = alert.subject and (mute.until is null or mute.until > now()))`;

const isWanted = sql`(channel.conditions is null or alert.condition = any(channel.conditions))`;

/** A channel that cannot be reached is not told so by itself. */
const isOfItself = sql`(alert.condition = 'platform.channel-failing' and alert.subject = channel.id::text)`;

/** Owes every channel what is there. */
export async function addTellings(tx: Db): Promise<void> {
  await tx`
    insert into platform.alert_telling (channel_id, alert_id)
    select channel.id, alert.id from platform.alert_channel as channel cross join platform.alert
    where channel.enabled and alert.opened_at is not null and alert.over_at is null
      and ${isWanted} and not ${isOfItself}
    order by 1, 2 on conflict do nothing`;
}

const isNews = sql`not telling.done and ${isWanted}
  and (alert.over_at is not null or (telling.told_open_at is null and not ${isMuted}))`;

/** The channels that have something to be told, those aside that failed a moment ago. */
export async function listDueChannels(tx: Db): Promise<number[]> {
  const rows = await tx<{ id: number }[]>`
    select id from platform.alert_channel as channel
    where enabled and (retry_at is null or retry_at <= now()) and exists (
      select from platform.alert_telling as telling join platform.alert on alert.id = telling.alert_id
      where telling.channel_id = channel.id and ${isNews})
    order by id`;
  return rows.map(({ id }) => id);
}

interface NewsRow extends Omit<News, "says"> {
  readonly zh: string;
  readonly en: string;
}

/** What a channel has not been told, the latest first. What came and went while it could not be reached is news once. */
export async function listNews(db: Db, channelId: number): Promise<News[]> {
  const rows = await db<NewsRow[]>`
    select alert.id as "alertId", condition, subject, says_zh as zh, says_en as en, figures, since,
      opened_at as "openedAt", over_at as "overAt"
    from platform.alert_telling as telling join platform.alert on alert.id = telling.alert_id
    join platform.alert_channel as channel on channel.id = telling.channel_id
    where telling.channel_id = ${channelId} and ${isNews} order by opened_at desc, alert.id desc`;
  return rows.map(({ zh, en, ...rest }) => ({ ...rest, says: { zh, en } }));
}

/** The news as it was told; what has changed since is told next time. */
export async function markTold(tx: Db, channelId: number, news: readonly News[]): Promise<void> {
  await tx`
    update platform.alert_telling as telling set told_open_at = coalesce(told_open_at, now()),
      told_over_at = case when over then now() end, done = over
    from unnest(${news.map(({ alertId }) => alertId)}::bigint[], ${news.map(({ overAt }) => overAt !== null)}::boolean[])
      as told (alert_id, over)
    where telling.channel_id = ${channelId} and telling.alert_id = told.alert_id`;
  await markReached(tx, channelId);
  await tx`update platform.alert_channel set told_at = now() where id = ${channelId}`;
}

/** Whatever failed before, the channel takes messages. */
export async function markReached(tx: Db, channelId: number): Promise<void> {
  await tx`
    update platform.alert_channel set failures = 0, failing_since = null, failure = null, retry_at = null
    where id = ${channelId}`;
}

/** The next try comes later with each that fails. */
export async function markFailed(
  tx: Db,
  channelId: number,
  failure: string,
  pausesMinutes: readonly number[],
): Promise<void> {
  await tx`
    update platform.alert_channel set failures = failures + 1, failing_since = coalesce(failing_since, now()),
      failure = ${failure}, retry_at = now() + make_interval(mins => (${[...pausesMinutes]}::integer[])[
        least(failures + 1, ${pausesMinutes.length}::integer)])
    where id = ${channelId}`;
}
