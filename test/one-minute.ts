import type { Pool } from "#platform/database/index.ts";

/**
 * Resets the rate limit's counts and does the work. If a new minute began meanwhile, both are repeated, since the limit
 * counts by minute.
 */
export async function withinOneMinute<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  for (;;) {
    await pool`truncate platform.rate_count`;
    const minute = () => Math.floor(Date.now() / 60_000);
    const began = minute();
    const result = await work();
    if (minute() === began) return result;
  }
}
