import { found } from "#platform/contract/problem.ts";
import type { Caller } from "#platform/contract/caller.ts";
import type { ListOrder } from "#platform/contract/sorting.ts";
import type { Timed } from "#platform/contract/times.ts";
import { type PageWithTotal, type Db, type Fragment, sql } from "#platform/database/index.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import type { AlertRecord, Channel } from "./contract.ts";
import type { Finding, NamedCondition } from "#platform/process/condition.ts";

const isMuted = sql`exists (
  select from platform.alert_mute as mute
  where mute.condition = alert.condition and mute.subject = alert.subject and (mute.until is null or mute.until > now()))`;

/** This condition holds while a channel cannot deliver; the alert's subject is the channel's name. */
const channelFailing = "platform.channel-failing";

const lockOf = (condition: Fragment): Fragment =>
  sql`pg_advisory_xact_lock(hashtextextended('alerts of ' || ${condition}, 0))`;

/**
 * Records new findings, opens alerts whose findings have lasted long enough, and closes alerts that are no longer
 * found. Concurrent evaluations yield one alert.
 * @param only if given, alerts of other subjects stay open even if they are no longer found
 */
export async function recordFindings(
  tx: Db,
  { id: condition, holdMinutes = 0 }: Pick<NamedCondition, "id" | "holdMinutes">,
  findings: readonly Finding[],
  at: Date,
  only?: string,
): Promise<void> {
  await tx`select ${lockOf(sql`${condition}::text`)}`;
  const each = [...new Map(findings.map((one) => [one.subject, one])).values()];
  if (each.length > 0)
    await tx`
      insert into platform.alert as known (condition, subject, says_zh, says_en, figures, since, seen_at)
      select ${condition}, subject, zh, en, figures::jsonb, ${at}, ${at}
      from unnest(${each.map(({ subject }) => subject)}::text[], ${each.map(({ says }) => says.zh)}::text[],
        ${each.map(({ says }) => says.en)}::text[],
        ${each.map(({ figures = {} }) => JSON.stringify(figures))}::text[]) as each (subject, zh, en, figures)
      on conflict (condition, subject) where over_at is null do update set says_zh = excluded.says_zh,
        says_en = excluded.says_en, figures = excluded.figures, seen_at = greatest(known.seen_at, excluded.seen_at)`;
  const hasEnded = sql`condition = ${condition} and seen_at < ${at} ${only === undefined ? sql`` : sql`and subject = ${only}`}`;
  await tx`delete from platform.alert where opened_at is null and ${hasEnded}`;
  await tx`
    update platform.alert set opened_at = ${at}
    where condition = ${condition} and over_at is null and opened_at is null
      and since <= ${at}::timestamptz - make_interval(mins => ${holdMinutes}::integer)`;
  await endAlerts(tx, at, hasEnded);
}

/** A muted alert ends without a notification. A mute without an end time is deleted when its alert ends. */
const endAlerts = (tx: Db, at: Date, hasEnded: Fragment): Promise<number> =>
  tx.count`
    with ended as (
      update platform.alert set over_at = ${at}, silent = ${isMuted} where over_at is null and ${hasEnded}
      returning condition, subject
    )
    delete from platform.alert_mute as mute using ended
    where mute.condition = ended.condition and mute.subject = ended.subject and mute.until is null`;

const staleHours = 24;
const retentionDays = 180;

/**
 * Closes alerts that nobody has evaluated for a day, such as those of a removed machine, and deletes alerts that ended
 * more than 180 days ago.
 */
export async function expireAlerts(tx: Db, at: Date): Promise<void> {
  const isStale = sql`over_at is null and seen_at < ${at}::timestamptz - make_interval(hours => ${staleHours})`;
  await tx`delete from platform.alert where opened_at is null and ${isStale}`;
  await endAlerts(tx, at, isStale);
  await tx`delete from platform.alert where over_at < ${at}::timestamptz - make_interval(days => ${retentionDays})`;
  await tx`delete from platform.alert_mute where until < ${at}`;
}

export interface StoredAlert extends Timed<Omit<AlertRecord, "title" | "remedy" | "mute" | "told">> {
  readonly mutedBy: string | null;
  readonly mutedUntil: Date | null;
  readonly muteReason: string | null;
  readonly told: readonly { readonly channel: Channel; readonly openAt: string; readonly overAt: string | null }[];
}

const isOf = (services: Caller["services"]): Fragment =>
  services === null ? sql`true` : sql`split_part(alert.condition, '.', 1) = any(${services})`;

const sortColumns = { id: "alert.id", openTime: "alert.opened_at", overTime: "alert.over_at" } as const;

/**
 * Lists the alerts that were opened because their condition lasted long enough.
 * @param openFirst sorts open alerts before resolved ones
 */
export async function listAlerts(
  db: Db,
  { state, condition }: { readonly state?: "open" | "over" | undefined; readonly condition?: string | undefined },
  { openFirst, services }: { readonly openFirst: boolean; readonly services: Caller["services"] },
  order: ListOrder<keyof typeof sortColumns>,
): Promise<PageWithTotal<StoredAlert>> {
  const where = sql`where opened_at is not null and ${isOf(services)}
    ${state === undefined ? sql`` : state === "open" ? sql`and over_at is null` : sql`and over_at is not null`}
    ${condition === undefined ? sql`` : sql`and alert.condition = ${condition}`}`;
  const direction = order.descending ? sql`desc` : sql`asc`;
  const rows = await db<StoredAlert[]>`
    select alert.id, alert.condition, alert.subject, jsonb_build_object('zh', says_zh, 'en', says_en) as says, figures,
      since as "sinceTime", opened_at as "openTime", alert.over_at as "overTime", mute.muted_by as "mutedBy", mute.until as "mutedUntil", mute.reason as "muteReason",
      coalesce((
        select jsonb_agg(jsonb_build_object('channel', channel, 'openAt', telling.open_at, 'overAt', telling.over_at) order by channel)
        from platform.alert_telling as telling where alert_id = alert.id), '[]') as told
    from platform.alert left join platform.alert_mute as mute on alert.over_at is null
      and mute.condition = alert.condition and mute.subject = alert.subject
      and (mute.until is null or mute.until > now())
    ${where}
    order by ${openFirst ? sql`over_at is null desc,` : sql``} ${sql.raw(sortColumns[order.field])} ${direction}, alert.id ${direction}
    limit ${order.limit} offset ${order.offset}`;
  return { rows, totalCount: await db.value<number>`select count(*) from platform.alert ${where}` };
}

export async function countOpen(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db<{ condition: string; count: number }[]>`
    select condition, count(*) as count from platform.alert
    where over_at is null and opened_at is not null group by condition`;
  return new Map(rows.map(({ condition, count }) => [condition, count]));
}

interface AlertKey {
  readonly condition: string;
  readonly subject: string;
  readonly isOver: boolean;
}

export async function getLockedAlert(tx: Db, { services }: Pick<Caller, "services">, id: number): Promise<AlertKey> {
  // An evaluation that ends the alert at the same time would not see a new mute, and the mute would outlast the alert.
  await tx`select ${lockOf(sql`condition`)} from platform.alert where id = ${id} and ${isOf(services)}`;
  const alert = await tx.first<AlertKey>`
    select condition, subject, over_at is not null as "isOver" from platform.alert
    where id = ${id} and ${isOf(services)} and opened_at is not null for update`;
  return found(alert);
}

export async function muteAlert(
  tx: Db,
  { condition, subject }: AlertKey,
  until: Date | null,
  reason: string,
  mutedBy: string,
): Promise<void> {
  await tx`
    insert into platform.alert_mute (condition, subject, until, reason, muted_by)
    values (${condition}, ${subject}, ${until}, ${reason}, ${mutedBy})
    on conflict (condition, subject) do update set until = excluded.until, reason = excluded.reason,
      muted_by = excluded.muted_by`;
}

export const unmuteAlert = (tx: Db, { condition, subject }: AlertKey): Promise<number> =>
  tx.count`
    delete from platform.alert_mute where condition = ${condition} and subject = ${subject}
      and (until is null or until > now())`;

export const listDeadJobs = async (db: Db) =>
  db<{ task: string; count: number }[]>`
    select task_identifier as task, count(*) as count from graphile_worker.jobs
    where locked_at is null and attempts >= max_attempts group by task_identifier order by 1`;

/** An alert of whose opening or resolution a channel has not yet been notified. */
export interface PendingAlert {
  readonly alertId: number;
  readonly condition: string;
  readonly subject: string;
  readonly says: Bilingual;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly since: Date;
  readonly overAt: Date | null;
}

// Each channel is notified once that an alert opened, and once that it was resolved if the channel was notified of the
// opening. Channels are not notified of muted alerts, and a channel is not notified of its own failure.
const isPending = (channel: string): Fragment => sql`(
  (alert.opened_at is not null and alert.over_at is null and telling.alert_id is null and not ${isMuted}
    and not (alert.condition = ${channelFailing} and alert.subject = ${channel}))
  or (alert.over_at is not null and telling.over_at is null and telling.alert_id is not null and not alert.silent))`;

const withDelivery = (channel: string): Fragment => sql`platform.alert
  left join platform.alert_telling as telling on telling.alert_id = alert.id and telling.channel = ${channel}`;

export const listPending = async (db: Db, channel: string): Promise<PendingAlert[]> =>
  db<PendingAlert[]>`
    select alert.id as "alertId", condition, subject, jsonb_build_object('zh', says_zh, 'en', says_en) as says, figures, since,
      alert.over_at as "overAt"
    from ${withDelivery(channel)} where ${isPending(channel)} order by opened_at desc, alert.id desc`;

export const hasBacklog = async (db: Db, channel: string, since: Date): Promise<boolean> =>
  (await db.count`
    select from ${withDelivery(channel)}
    where coalesce(alert.over_at, opened_at) < ${since} and ${isPending(channel)} limit 1`) > 0;

/**
 * Records for each alert that its opening was sent or, if that had already been recorded, that its resolution was sent.
 * An alert that is resolved meanwhile stays pending.
 */
export async function markSent(tx: Db, channel: string, news: readonly PendingAlert[]): Promise<void> {
  await tx`
    insert into platform.alert_telling as telling (alert_id, channel)
    select id, ${channel} from unnest(${news.map(({ alertId }) => alertId)}::bigint[]) as told (id)
    on conflict (alert_id, channel) do update set over_at = now()`;
}
