import type { Db } from "./db.ts";
import type { Pool } from "./pool.ts";

// What two addresses can be set up wrong in.

/**
 * Looks at a database that has another address for sessions. @returns what somebody should look after, a line each.
 * @throws {Error} for the operator, when it is another database: part of what is written would be nowhere.
 */
export async function reviewAddresses(pool: Pool): Promise<string[]> {
  if (!pool.isShared) return [];
  const session = await pool.reserve();
  try {
    const [through, past] = await Promise.all([findPlace(pool), findPlace(session)]);
    if (through.place !== past.place)
      throw new Error("DATABASE_DIRECT_URL leads to another database than DATABASE_URL");
    return through.isUnlimited
      ? ["through DATABASE_URL a single statement may take for ever: give its role a statement_timeout"]
      : [];
  } finally {
    session.release();
  }
}

interface Place {
  readonly place: string;
  readonly isUnlimited: boolean;
}

async function findPlace(db: Db): Promise<Place> {
  const [found] = await db<Place[]>`
    select system_identifier || '/' || current_database() as place, current_setting('statement_timeout') = '0' as "isUnlimited"
    from pg_control_system()`;
  if (!found) throw new Error("the database does not say which it is");
  return found;
}
