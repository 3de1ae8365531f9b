import type { ListOrder } from "#platform/contract/sorting.ts";
import { type Counted, type Db, sql } from "#platform/database/index.ts";

export interface AlertFilter {
  readonly state: "open" | "over" | undefined;
  readonly condition: string | undefined;
  /** Those that are there before those that are over, whatever else they are sorted by. */
  readonly openFirst: boolean;
}

export interface Told {
  readonly channel: string;
  readonly openAt: string | null;
  readonly overAt: string | null;
}

export interface StoredAlert {
  readonly id: number;
  readonly condition: string;
  readonly subject: string;
  readonly zh: string;
  readonly en: string;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly since: Date;
  readonly openedAt: Date;
  readonly overAt: Date | null;
  /** Only of an alert that is not over. */
  readonly mutedBy: string | null;
  readonly mutedUntil: Date | null;
  readonly muteReason: string | null;
  readonly told: readonly Told[];
}

export type AlertField = "id" | "openTime" | "overTime";

const sortColumns: Readonly<Record<AlertField, string>> = {
  id: "alert.id",
  openTime: "alert.opened_at",
  overTime: "alert.over_at",
};

/** One page of the alerts, those aside that have not held for long enough, and how many there are. */
export async function listAlerts(
  db: Db,
  { state, condition, openFirst }: AlertFilter,
  order: ListOrder<AlertField>,
): Promise<Counted<StoredAlert>> {
  const where = sql`where opened_at is not null
    ${state === undefined ? sql`` : state === "open" ? sql`and over_at is null` : sql`and over_at is not null`}
    ${condition === undefined ? sql`` : sql`and alert.condition = ${condition}`}`;
  const direction = order.descending ? sql`desc` : sql`asc`;
  const [count] = await db<{ count: number }[]>`select count(*) as count from platform.alert ${where}`;
  const rows = await db<StoredAlert[]>`
    select alert.id, alert.condition, alert.subject, says_zh as zh, says_en as en, figures, since, opened_at as "openedAt",
      over_at as "overAt", mute.muted_by as "mutedBy", mute.until as "mutedUntil", mute.reason as "muteReason",
      coalesce((
        select jsonb_agg(jsonb_build_object('channel', name, 'openAt', told_open_at, 'overAt', told_over_at) order by name)
        from platform.alert_telling join platform.alert_channel as channel on channel.id = channel_id
        where alert_id = alert.id and told_open_at is not null), '[]') as told
    from platform.alert left join platform.alert_mute as mute on over_at is null
      and mute.condition = alert.condition and mute.subject = alert.subject
      and (mute.until is null or mute.until > now())
    ${where}
    order by ${openFirst ? sql`over_at is null desc,` : sql``} ${sql.raw(sortColumns[order.field])} ${direction}, alert.id ${direction}
    limit ${order.limit} offset ${order.offset}`;
  return { rows, totalCount: count?.count ?? 0 };
}

/** How many there are now of each condition. */
export async function countOpen(db: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await db<{ condition: string; count: number }[]>`
    select condition, count(*) as count from platform.alert
    where over_at is null and opened_at is not null group by condition`;
  return new Map(rows.map(({ condition, count }) => [condition, count]));
}

export interface AlertKey {
  readonly condition: string;
  readonly subject: string;
  readonly isOver: boolean;
}

/** Held until the transaction ends: it is not over before that unless it is already. */
export async function lockAlert(tx: Db, id: number): Promise<AlertKey | undefined> {
  const [row] = await tx<AlertKey[]>`
    select condition, subject, over_at is not null as "isOver" from platform.alert
    where id = ${id} and opened_at is not null for update`;
  return row;
}

export interface Mute {
  /** Null: until it is over. */
  readonly until: Date | null;
  readonly reason: string;
  readonly mutedBy: string;
}

export async function muteAlert(
  tx: Db,
  { condition, subject }: AlertKey,
  { until, reason, mutedBy }: Mute,
): Promise<void> {
  await tx`
    insert into platform.alert_mute (condition, subject, until, reason, muted_by)
    values (${condition}, ${subject}, ${until}, ${reason}, ${mutedBy})
    on conflict (condition, subject) do update set until = excluded.until, reason = excluded.reason,
      muted_by = excluded.muted_by, muted_at = now()`;
}

/** @returns whether it was muted. */
export async function unmuteAlert(tx: Db, { condition, subject }: AlertKey): Promise<boolean> {
  const count = await tx.count`
    delete from platform.alert_mute where condition = ${condition} and subject = ${subject}
      and (until is null or until > now())`;
  return count > 0;
}
