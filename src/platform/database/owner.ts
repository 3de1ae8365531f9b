import { migrate, type MigrateOptions } from "./migrate.ts";
import { openPool, type Pool } from "./pool.ts";

/**
 * Brings the database up to date as the owner of its tables, who then gives the server's role what it needs; without an owner
 * of their own the server's role owns them.
 */
export async function migrateAsOwner(
  pool: Pool,
  ownerUrl: string | undefined,
  options: Omit<MigrateOptions, "serverRole">,
): Promise<void> {
  if (ownerUrl === undefined) return void (await migrate(pool, options));
  const [server] = await pool<[{ role: string }]>`select current_user as role`;
  const owner = openPool(ownerUrl, { connections: 1, name: "quintet owner" });
  try {
    await migrate(owner, { ...options, serverRole: server.role });
  } finally {
    await owner.end({ timeoutMs: 5000 });
  }
}

/** The role as which an address logs in. */
export async function findRole(url: string): Promise<string> {
  const pool = openPool(url, { connections: 1 });
  try {
    const [server] = await pool<[{ role: string }]>`select current_user as role`;
    return server.role;
  } finally {
    await pool.end();
  }
}
