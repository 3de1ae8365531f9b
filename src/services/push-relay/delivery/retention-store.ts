import { type Db, type Pool, sql } from "#platform/database/index.ts";
import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import { type ExpiredRows, deleteExpired } from "#platform/process/removal.ts";
import type { RelaySettings } from "#services/push-relay/settings.ts";

const task = "push-relay-tidy";
const mostAtOnce = 2000;

interface Days {
  readonly deliveredDays: number;
  readonly deadDays: number;
}

interface Step {
  readonly lastId: number | null;
  readonly removed: number;
}

export async function removeOldDeliveries(db: Db, after: number, most: number, days: Days): Promise<Step> {
  const [row] = await db<Step[]>`
    with next as (
      select id, status, delivered_at from push_relay.delivery
      where id > ${after} and created_at < now() - make_interval(days => ${Math.min(days.deliveredDays, days.deadDays)})
      order by id limit ${most}
    ), old as (
      select next.id from next left join push_relay.dead on dead.delivery_id = next.id
      where next.delivered_at < now() - make_interval(days => ${days.deliveredDays})
        or dead.dead_at < now() - make_interval(days => ${days.deadDays})
    ), gone as (
      delete from push_relay.delivery using old
      where delivery.id = old.id and delivery.status <> 'pending' returning delivery.id
    ), attempts as (
      delete from push_relay.attempt using gone where attempt.delivery_id = gone.id
    ), dead_ones as (
      delete from push_relay.dead using gone where dead.delivery_id = gone.id
    )
    select (select max(id) from next) as "lastId", (select count(*) from gone)::int as removed`;
  return row ?? { lastId: null, removed: 0 };
}

async function removeOldEvents(db: Db, after: number, most: number, days: Days): Promise<Step> {
  const [row] = await db<Step[]>`
    with next as (
      select id from push_relay.event
      where id > ${after} and received_at < now() - make_interval(days => ${Math.min(days.deliveredDays, days.deadDays)})
      order by id limit ${most}
    ), gone as (
      delete from push_relay.event using next
      where event.id = next.id and not exists (select from push_relay.delivery where delivery.event_id = next.id)
      returning event.id
    )
    select (select max(id) from next) as "lastId", (select count(*) from gone)::int as removed`;
  return row ?? { lastId: null, removed: 0 };
}

const giveUpDeleted = (db: Db): Promise<number> =>
  db.value<number>`
    with gone as (
      delete from push_relay.queue where delivery_id in (
        select queue.delivery_id from push_relay.queue join push_relay.project on project.id = queue.project_id
        where project.deleted_at is not null and (queue.leased_until is null or queue.leased_until < now())
        order by queue.delivery_id limit ${mostAtOnce} for update of queue skip locked)
      returning delivery_id, project_id
    ), dead as (
      insert into push_relay.dead (delivery_id, project_id) select delivery_id, project_id from gone
    ), told as (
      update push_relay.delivery set status = 'dead', error = 'the project was deleted'
      from gone where delivery.id = gone.delivery_id returning 1
    )
    select count(*)::int as count from told`;

/**
 * A successful delivery refers to an exchange that was stored at most an hour before. An exchange that is a day older
 * than the oldest kept successful delivery can therefore belong only to a failed attempt. A removed subject is kept
 * while it has pending deliveries.
 */
const listOver = ({ deliveredDays, deadDays }: Days): ExpiredRows[] => [
  {
    table: "push_relay.exchange",
    isExpired: sql`
      created_at < now() - make_interval(days => ${deliveredDays + 1})
      and not exists (select from push_relay.attempt where attempt.exchange_id = exchange.id)`,
  },
  {
    table: "push_relay.subject",
    isExpired: sql`
      not present and kind <> 'range' and last_event_at < now() - make_interval(days => ${deadDays})
      and not exists (select from push_relay.queue where queue.subject_id = subject.id)`,
  },
  {
    table: "push_relay.told",
    isExpired: sql`
      not exists (select from push_relay.project where project.id = project_id and deleted_at is null)
      or not exists (select from push_relay.subject where subject.id = subject_id)`,
  },
  {
    table: "push_relay.project_key",
    isExpired: sql`not exists (select from push_relay.project where project.id = project_id and deleted_at is null)`,
  },
  // A lease is kept while it holds a queued delivery, and for at least two hours, since the receiver may repeat its
  // acknowledgement.
  {
    table: "push_relay.lease",
    isExpired: sql`given_at < now() - interval '2 hours' and not exists (
      select from push_relay.queue where queue.delivery_id = any (lease.deliveries) and queue.claim = lease.claim)`,
  },
  { table: "push_relay.pulse", isExpired: sql`minute < extract(epoch from now())::bigint / 60 - 60` },
];

export async function tidyRelay(pool: Pool, settings: RelaySettings): Promise<void> {
  const days = { deliveredDays: settings.PUSH_KEEP_DELIVERED_DAYS, deadDays: settings.PUSH_KEEP_DEAD_DAYS };
  while ((await giveUpDeleted(pool)) > 0);
  for (const takeStep of [removeOldDeliveries, removeOldEvents])
    for (let after: number | null = 0; after !== null;) after = (await takeStep(pool, after, mostAtOnce, days)).lastId;
  for (const rows of listOver(days)) await deleteExpired(pool, rows);
}

export const tidyTasks = (
  pool: Pool,
  settings: RelaySettings,
): { tasks: JobTasks; recurring: readonly RecurringJob[] } => ({
  tasks: { [task]: () => tidyRelay(pool, settings) },
  recurring: [{ task, pattern: "13 * * * *" }],
});
