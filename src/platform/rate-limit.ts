import type { Db, Pool } from "#platform/database/index.ts";

/**
 * Counts a call of the address (or of whatever the scope counts by) in the present minute, together with all processes. Returns undefined while it is within
 * the limit, else the seconds until the next minute.
 */
export async function countHit(db: Db, scope: string, address: string, limit: number): Promise<number | undefined> {
  const [row] = await db<{ hits: number; secondsLeft: number }[]>`
    insert into platform.rate_count as known (scope, address, minute, hits)
    values (${scope}, ${address}, floor(extract(epoch from clock_timestamp()) / 60), 1)
    on conflict (scope, address) do update set
      hits = case when known.minute = excluded.minute then least(known.hits, 2000000000) + 1 else 1 end,
      minute = excluded.minute
    returning hits, ceil(60 - extract(epoch from clock_timestamp())::numeric % 60)::int as "secondsLeft"`;
  if (!row || row.hits <= limit) return undefined;
  return Math.max(1, row.secondsLeft);
}

/** Forgets addresses that have not been seen for two minutes. */
export async function deleteOldCounts(pool: Pool): Promise<void> {
  await pool`delete from platform.rate_count where minute < floor(extract(epoch from now()) / 60) - 2`;
}
