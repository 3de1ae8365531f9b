import type { Db } from "#platform/database/index.ts";

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
