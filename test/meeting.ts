import assert from "node:assert/strict";
import { type Db, inTransaction, type Pool } from "#platform/database/index.ts";

/**
 * Forces concurrent calls to contend. The lock that `lock` takes is released once all calls wait for a lock, so that
 * each call has read before any call has written.
 */
export async function meetAtLock<T>(
  pool: Pool,
  lock: (tx: Db) => Promise<unknown>,
  start: () => Promise<T>[],
): Promise<T[]> {
  const held = await inTransaction(pool, async (tx) => {
    await lock(tx);
    const calls = start();
    await meetWaiting(pool, calls.length);
    return { calls };
  });
  return Promise.all(held.calls);
}

// On a busy machine a call may take seconds to reach the lock.
const mostMs = 20_000;

export async function meetWaiting(pool: Pool, wanted: number): Promise<void> {
  const latestMs = performance.now() + mostMs;
  for (let waiting = 0; waiting < wanted;) {
    assert.ok(performance.now() < latestMs, `only ${waiting} of ${wanted} came to wait`);
    waiting = await countWaiting(pool);
  }
}

/** Counts the sessions of this database alone, since other tests' databases are on the same server. */
export const countWaiting = (pool: Pool): Promise<number> =>
  pool.count`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
