import type { Db } from "./db.ts";
import type { Pool } from "./pool.ts";

/**
 * Compares the database behind the pooler with that of the separate URL for sessions, and returns warnings.
 * @throws {Error} if the URLs lead to different databases, which would split the data
 */
export async function reviewAddresses(pool: Pool): Promise<string[]> {
  if (!pool.isShared) return [];
  const session = await pool.reserve();
  try {
    const [through, past] = await Promise.all([identifyDatabase(pool), identifyDatabase(session)]);
    if (through.place !== past.place)
      throw new Error("DATABASE_DIRECT_URL and DATABASE_URL lead to different databases");
    return through.isUnlimited
      ? ["statements through DATABASE_URL have no time limit: set a statement_timeout for its role"]
      : [];
  } finally {
    session.release();
  }
}

async function identifyDatabase(db: Db) {
  const [found] = await db<{ place: string; isUnlimited: boolean }[]>`
    select system_identifier || '/' || current_database() as place, current_setting('statement_timeout') = '0' as "isUnlimited"
    from pg_control_system()`;
  if (!found) throw new Error("the database did not identify itself");
  return found;
}
