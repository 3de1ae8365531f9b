import type { Db } from "#platform/database/index.ts";
import type { ProjectSecrets } from "#services/push-relay/project-store.ts";
import { openSecrets } from "#services/push-relay/sealed.ts";
import type { Exchange } from "./exchange-store.ts";

// The words of a push on its way: claimed from the queue, sent, settled.

/** A delivery that this process may make until the lease ends. */
export interface Claimed {
  readonly deliveryId: number;
  readonly projectId: number;
  /** Of the project's settings at the time of the claim. */
  readonly revision: number;
  readonly eventId: number;
  readonly publicId: string;
  /** How many of the schedule's tries have failed. */
  readonly failures: number;
  readonly claim: number;
  /** What is forwarded, as it is stored; null when it is too large to be fetched before it is sent. */
  readonly body: string | null;
}

/**
 * Deliveries of one lane, in their order. Only the first is claimed; the others are safe behind it, and it behind them:
 * what became of them is settled together.
 */
export type Run = readonly [Claimed, ...(readonly Claimed[])];

/** How many lanes may be claimed, and how many deliveries of each be brought. */
export interface Room {
  readonly lanes: number;
  readonly run: number;
}

export const noRoom: Room = { lanes: 0, run: 1 };

/** What a sender has to know of a project. */
export interface Target extends ProjectSecrets {
  readonly projectId: number;
  readonly revision: number;
  /** How many pushes may begin in a second; 0: any number. */
  readonly perSecond: number;
}

/**
 * What becomes of a claimed delivery: `back` hands it back as if it had not been claimed, the others are attempts.
 * `delayMs` counts for retry and back.
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
  /** Null for what was not sent. */
  readonly exchange: Exchange | null;
}

export interface ClaimOptions {
  readonly rooms: ReadonlyMap<number, Room>;
  /** How many lanes of a project that has no room here, one delivery of each. */
  readonly otherRoom: number;
  readonly leaseMs: number;
  readonly mostInlineBytes: number;
}

/** Takes what is due, and what follows it, in the order of the places; until the lease ends nobody else will. */
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

/** In ms since 1970. */
export const readClock = (db: Db): Promise<number> =>
  db.value<number>`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as ms`;

/**
 * Makes due now what waits longer than it can have been told to (P6c): the database's clock was ahead when it was written, and
 * has been put right since. @param triesMs the longest before a try, by the number of those that have failed before it
 * @param pullMs for how long a reader may have what it was given
 * @returns how many
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

/** Keeps a stretch of time for so many pushes, which nobody else will begin any in. @returns in how many ms it begins */
export const reservePace = (db: Db, projectId: number, stretchMs: number): Promise<number> =>
  db.value<number>`
    insert into push_relay.pace as old (project_id, next_at)
    values (${projectId}, clock_timestamp() + ${stretchMs}::float8 * interval '1 millisecond')
    on conflict (project_id) do update set
      next_at = greatest(old.next_at, clock_timestamp()) + ${stretchMs}::float8 * interval '1 millisecond'
    returning greatest(0, extract(epoch from next_at - clock_timestamp()) * 1000 - ${stretchMs}::float8)::float8 as ms`;

/** What is stored of what is forwarded of an event; undefined when it is gone. */
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

/**
 * Writes down what became of claimed deliveries, each with the number of its exchange; one whose claim has passed to
 * another is left alone.
 */
export async function settle(
  db: Db,
  settlements: readonly Settlement[],
  exchanges: readonly (number | null)[] = [],
): Promise<void> {
  // Put together here: the driver would quote and escape value by value; that took
  // 2 of the 37 microseconds that a push costs this process.
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

/** Makes a project invalid whose receiver has said that it is gone, unless it was changed since. @returns whether. */
export async function invalidate(db: Db, { projectId, revision }: Target): Promise<boolean> {
  const count = await db.count`
    update push_relay.project set statu = 1 where id = ${projectId} and revision = ${revision} and statu = 0`;
  return count > 0;
}
