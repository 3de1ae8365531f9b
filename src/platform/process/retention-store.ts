import type { Db, Fragment } from "#platform/database/index.ts";
import type { Removed, RetainedRecords } from "#platform/process/retention.ts";

/** What was removed of a kind of record. */
export interface RemovedKind {
  readonly service: string;
  readonly kind: string;
  readonly removed: number;
}

/** Two that remove at once take turns, batch by batch: each then sees what the other has left. */
export async function takeRetentionTurn(tx: Db): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('retention', 0))`;
}

/** Notes a batch in the transaction that removes it, until it is told. */
export async function noteRemoved(tx: Db, { service, kind, removed }: RemovedKind): Promise<void> {
  await tx`
    insert into platform.retention (service, kind, untold) values (${service}, ${kind}, ${removed})
    on conflict (service, kind) do update set untold = retention.untold + excluded.untold`;
}

/** Ends a run: what nobody was told yet of any kind, which is told by this transaction or not at all. */
export async function takeUntold(tx: Db): Promise<RemovedKind[]> {
  return tx<RemovedKind[]>`
    update platform.retention set removed = untold, untold = 0, ended_at = now()
    returning service, kind, removed`;
}

/** When the last run ended, and how many records it has removed; nothing before the first. */
export async function findLastRun(db: Db): Promise<{ readonly endedAt: Date; readonly removed: number } | undefined> {
  const [row] = await db<{ endedAt: Date | null; removed: number }[]>`
    select max(ended_at) as "endedAt", coalesce(sum(removed), 0)::bigint as removed from platform.retention
    where ended_at = (select max(ended_at) from platform.retention)`;
  return row?.endedAt ? { endedAt: row.endedAt, removed: row.removed } : undefined;
}

/** Records that are rows of a table with an id. */
interface OldRows {
  readonly kind: string;
  readonly setting: string;
  readonly table: Fragment;
  /** What holds for a row of the table that nobody has needed since then. */
  readonly isOld: (since: Date) => Fragment;
  /** Removes these, which are locked. */
  readonly remove: (tx: Db, ids: readonly number[]) => Promise<unknown>;
}

// So many that stay are passed over in a step, however few go: their reading takes some 20 ms.
const mostRead = 10_000;

/** Goes over the table once, by its ids. */
export const retainRows = ({ kind, setting, table, isOld, remove }: OldRows): RetainedRecords => ({
  kind,
  setting,
  count: async (db, since) => {
    const [row] = await db<{ count: number }[]>`select count(*) as count from ${table} where ${isOld(since)}`;
    return row?.count ?? 0;
  },
  remove: async (tx, since, place): Promise<Removed> => {
    const after = Number(place.after);
    const [read] = await tx<{ last: number | null }[]>`
      select max(id) as last from (select id from ${table} where id > ${after} order by id limit ${mostRead}) as next`;
    const last = read?.last ?? null;
    if (last === null) return { removed: 0, after: null };
    const rows = await tx<{ id: number }[]>`
      select id from ${table} where id > ${after} and id <= ${last} and ${isOld(since)}
      order by id limit ${place.most} for update skip locked`;
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await remove(tx, ids);
    return { removed: ids.length, after: String(ids.length < place.most ? last : ids.at(-1)) };
  },
});
