import { inTransaction, type Pool, sql } from "#platform/database/index.ts";

export type ReplaySelection =
  | { readonly ids: readonly number[] }
  | { readonly projectId: number; readonly since: Date }
  | { readonly projectId: number; readonly status: "dead" };

// Both hold the subjects that they touch, and receiving an event about one of them waits meanwhile: so they go in small
// transactions. One that is cut off has done a part, and may be asked for again.
const mostAtOnce = 500;

/** Makes deliveries once more, with the same id and body. @returns how many; those of deleted projects are left out. */
export async function replayDeliveries(pool: Pool, selection: ReplaySelection): Promise<number> {
  // What is received meanwhile is no part of it.
  const last = await pool.value<number | null>`select max(id) from push_relay.delivery`;
  let count = 0;
  for (let after = 0; ;) {
    // The next of the selection, in the order in which they were received.
    const ids = await pool.values<number>`
      select id from (${choose(selection)}) as chosen
      where id > ${after} and id <= ${last ?? 0} order by id limit ${mostAtOnce}`;
    if (ids.length === 0) return count;
    count += await inTransaction(pool, (tx) => tx.value<number>`select push_relay.replay(${ids}::bigint[])`);
    after = ids.at(-1) ?? 0;
  }
}

function choose(selection: ReplaySelection) {
  if ("ids" in selection) return sql`select id from push_relay.delivery where id = any (${selection.ids}::bigint[])`;
  if ("since" in selection)
    return sql`
      select id from push_relay.delivery
      where project_id = ${selection.projectId} and created_at >= ${selection.since}`;
  return sql`select delivery_id as id from push_relay.dead where project_id = ${selection.projectId}`;
}

/** Sends a project the present directory: organisations, then people, each in the order in which they became known. */
export async function backfillProject(pool: Pool, projectId: number, timeZone: string): Promise<number> {
  let count = 0;
  for (const [kind, event] of [
    ["organisation", "addOrg"],
    ["person", "addUser"],
  ])
    for (let after: number | null = 0; after !== null;) {
      const [step] = await inTransaction(
        pool,
        (tx) => tx<{ added: number; lastId: number | null }[]>`
        select added, last_id as "lastId"
        from push_relay.backfill(${projectId}, ${kind ?? ""}, ${event ?? ""}, ${after}, ${mostAtOnce}, ${timeZone})`,
      );
      count += step?.added ?? 0;
      after = step?.lastId ?? null;
    }
  return count;
}
