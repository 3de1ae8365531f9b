import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { Db } from "./db.ts";
import { type Limits, setLimits, usualLimits } from "./limits.ts";
import type { Pool, Session } from "./pool.ts";

const folder = new URL("../../../migrations/", import.meta.url);
// Any number will do as long as every process takes the same one.
const migrationLock = 5_140_912_711;

// Another process may be at it, and a table of many years takes its time.
const noLimits: Limits = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 };

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly hash: string;
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      return { name, sql, hash: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

async function readApplied(db: Db): Promise<Map<string, string>> {
  const [found] = await db`select to_regclass('platform.migration') is not null as found`;
  if (!found?.["found"]) return new Map();
  const rows = await db<{ name: string; hash: string }[]>`select name, hash from platform.migration`;
  return new Map(rows.map(({ name, hash }) => [name, hash]));
}

/** The names of the migrations that this version brings and the database lacks. */
export async function listPendingMigrations(pool: Pool): Promise<string[]> {
  const applied = await readApplied(pool);
  return (await readMigrations()).filter(({ name }) => !applied.has(name)).map(({ name }) => name);
}

/**
 * Brings the database up to this version, each migration in a transaction of its own; processes that start together
 * wait for one another. Returns the names of those it ran.
 * @throws when the database is too old, not UTF-8, newer than this version, or a migration was edited after it ran.
 */
export async function migrate(pool: Pool): Promise<string[]> {
  await checkServer(pool);
  const connection = await pool.reserve();
  try {
    await setLimits(connection, noLimits, "connection");
    await connection`select pg_advisory_lock(${migrationLock})`;
    const migrations = await readMigrations();
    const applied = await readApplied(connection);
    checkHistory(migrations, applied);
    const pending = migrations.filter(({ name }) => !applied.has(name));
    for (const migration of pending) await run(connection, migration);
    return pending.map(({ name }) => name);
  } finally {
    await connection`select pg_advisory_unlock(${migrationLock})`.catch(() => undefined);
    await setLimits(connection, usualLimits, "connection").catch(() => undefined);
    connection.release();
  }
}

async function run(connection: Session, { name, sql, hash }: Migration): Promise<void> {
  try {
    await connection.script(`begin; ${sql}`);
    await connection`insert into platform.migration (name, hash) values (${name}, ${hash})`;
    await connection`commit`;
  } catch (error) {
    // Else the lock could not be given back, and the pool would hand out a connection in a broken transaction.
    await connection`rollback`.catch(() => undefined);
    throw error;
  }
}

function checkHistory(migrations: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  const known = new Map(migrations.map(({ name, hash }) => [name, hash]));
  for (const [name, hash] of applied) {
    if (!known.has(name)) throw new Error(`The database is newer than this version: it has had ${name}.`);
    if (known.get(name) !== hash) throw new Error(`${name} was changed after this database had it.`);
  }
}

async function checkServer(pool: Pool): Promise<void> {
  const [server] = await pool<{ version: number; encoding: string }[]>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`;
  if (!server || server.version < 140_000) throw new Error("PostgreSQL 14 or newer is needed.");
  if (server.encoding !== "UTF8") throw new Error(`The database must be UTF8, it is ${server.encoding}.`);
}
