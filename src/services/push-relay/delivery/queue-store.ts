import type { Db } from "#platform/database/index.ts";
import type { ProjectSecrets } from "#services/push-relay/project-store.ts";
import { openSecrets } from "#services/push-relay/sealed.ts";
import type { Exchange } from "./exchange-store.ts";

export interface Claimed {
  readonly deliveryId: number;
  readonly projectId: number;
  readonly revision: number;
  readonly eventId: number;
  readonly publicId: string;
  readonly failures: number;
  readonly claim: number;
  /** Null if the body is too large to be loaded with the claim; it is then loaded just before it is sent. */
  readonly body: string | null;
}

/**
 * Consecutive deliveries of one lane (one project and one subject), whose outcomes are stored together. Only the first
 * is claimed, which blocks the rest of the lane.
 */
export type Run = readonly [Claimed, ...(readonly Claimed[])];

export interface Room {
  readonly lanes: number;
  readonly run: number;
}

export const noRoom: Room = { lanes: 0, run: 1 };

export interface Target extends ProjectSecrets {
  readonly projectId: number;
  readonly revision: number;
  readonly perSecond: number;
}

/**
 * "back" releases the delivery as if it had never been claimed; all other kinds are outcomes of an attempt. `delayMs`
 * is used for "retry" and "back".
 */
export interface Outcome {
  readonly kind: "delivered" | "retry" | "dead" | "back";
  readonly delayMs: number;
}

export interface Settlement {
  readonly claimed: Claimed;
  readonly outcome: Outcome;
  readonly startedMs: number;
  readonly durationMs: number;
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly exchange: Exchange | null;
}

export interface ClaimOptions {
  readonly rooms: ReadonlyMap<number, Room>;
  /**
   * The number of lanes to claim from each project that has no dispatcher in this process; one delivery is claimed per
   * lane.
   */
  readonly otherRoom: number;
  readonly leaseMs: number;
  readonly mostInlineBytes: number;
}

export async function claim(db: Db, { rooms, otherRoom, leaseMs, mostInlineBytes }: ClaimOptions): Promise<Run[]> {
  const known = [...rooms.values()];
  const rows = await db<(Claimed & { readonly head: boolean })[]>`
    select delivery_id as "deliveryId", project_id as "projectId", revision, event_id as "eventId",
      public_id as "publicId", failures, claim, head, body
    from push_relay.claim(${[...rooms.keys()]}::bigint[], ${known.map(({ lanes }) => lanes)}::int[],
      ${known.map(({ run }) => run)}::int[], ${otherRoom}, ${leaseMs}, ${mostInlineBytes})`;
  const runs: [Claimed, ...Claimed[]][] = [];
  for (const row of rows)
    if (row.head) runs.push([row]);
    else runs.at(-1)?.push(row);
  return runs;
}

export const readClock = (db: Db): Promise<number> =>
  db.value<number>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`;

/**
 * Reschedules deliveries that would wait longer than any delay allows, because the database's clock was ahead (P6c).
 * @param triesMs longest delay before an attempt, by the number of failed attempts
 * @param leaseMs longest lease of a push
 * @param pullMs longest lease of a pulling receiver
 * @returns the number of rescheduled deliveries
 */
export const bringForward = async (
  db: Db,
  triesMs: readonly number[],
  leaseMs: number,
  pullMs: number,
): Promise<number> =>
  db.count`
    update push_relay.queue set due_at = least(due_at, now()), claim = null, leased_until = null
    where due_at > now() + (${triesMs}::bigint[])[failures + 1] * interval '1 millisecond'
      or leased_until > now() + interval '1 millisecond'
        * case when claim in (select claim from push_relay.lease) then ${pullMs}::bigint else ${leaseMs}::bigint end`;

/**
 * Reserves a time slice of the project's rate limit, which all processes share. If the database's clock went back, the
 * slices reserved before would hold up the project, so a slice begins at most fifteen seconds ahead (P6c).
 * @returns milliseconds until the slice begins
 */
export const reservePace = (db: Db, projectId: number, stretchMs: number): Promise<number> =>
  db.value<number>`
    insert into push_relay.pace as old (project_id, next_at)
    values (${projectId}, clock_timestamp() + ${stretchMs}::float8 * interval '1 millisecond')
    on conflict (project_id) do update set
      next_at = greatest(least(old.next_at, clock_timestamp() + interval '15 seconds'), clock_timestamp())
        + ${stretchMs}::float8 * interval '1 millisecond'
    returning greatest(0, extract(epoch from next_at - clock_timestamp()) * 1000 - ${stretchMs}::float8)::float8 as ms`;

export const findBody = (db: Db, eventId: number): Promise<string | undefined> =>
  db.value<
    string | undefined
  >`select push_relay.forwarded(event.*) as body from push_relay.event where id = ${eventId}`;

export async function listTargets(db: Db, projectIds: readonly number[]): Promise<Target[]> {
  const rows = await db<Target[]>`
    select id as "projectId", revision, url, secret, old_secret as "oldSecret", old_secret_until as "oldSecretUntil",
      coalesce((selection ->> 'perSecond')::int, 0) as "perSecond"
    from push_relay.project where id = any (${projectIds}::bigint[])`;
  return rows.map((row) => openSecrets(db.keys, row));
}

/** Stores outcomes. If another claim has taken the delivery since, the outcome is ignored. */
export async function settle(
  db: Db,
  settlements: readonly Settlement[],
  exchanges: readonly (number | null)[] = [],
): Promise<void> {
  // The array literals are written here: the driver would quote each value, which takes 2 µs of the 37 µs that a push
  // costs this process.
  const column = (read: (settlement: Settlement) => string | number | null): string =>
    `{${settlements.map((settlement) => read(settlement) ?? "null").join(",")}}`;
  const errors = settlements.map(({ error }) => error) as string[];
  await db`
    select from push_relay.settle(
      ${column(({ claimed }) => claimed.deliveryId)}::bigint[], ${column(({ claimed }) => claimed.claim)}::bigint[],
      ${column(({ outcome }) => outcome.kind)}::text[],
      ${column(({ startedMs }) => startedMs)}::bigint[],
      ${column(({ statusCode }) => statusCode)}::smallint[], ${column(({ durationMs }) => durationMs)}::int[],
      ${errors}::text[], ${column(({ outcome }) => outcome.delayMs)}::bigint[],
      ${`{${settlements.map((_settlement, index) => exchanges[index] ?? "null").join(",")}}`}::bigint[])`;
}

/**
 * Disables an enabled project, unless its revision has changed.
 * @returns whether this call disabled the project
 */
export async function invalidate(db: Db, { projectId, revision }: Target): Promise<boolean> {
  const count = await db.count`
    update push_relay.project set statu = 1 where id = ${projectId} and revision = ${revision} and statu = 0`;
  return count > 0;
}
