import { setTimeout as delay } from "node:timers/promises";
import { type Db, setLimits } from "./db.ts";
import { isLockTimeout, isRepeatable } from "./failures.ts";
import { type Limits, usualLimits } from "./limits.ts";
import { compareSchema, listMigrations, type Migration, readApplied } from "./migrations.ts";
import { openPool, type Pool, type Session } from "./pool.ts";

// The number is arbitrary, but must be the same in all versions.
const migrationLock = 5_140_912_711;
const lockPollMs = 200;
const pollsPerReport = 50;

/**
 * While a migration waits for a table lock, all later users of the table wait too, so lock waits are short and repeated
 * after pauses.
 */
const lockMs = 2000;
const maxPauseMs = 10_000;
/**
 * A migration waits at most this long for a lock; only the largest imports hold a lock longer. After that, the start
 * fails, and the process manager restarts the server.
 */
const giveUpMs = 300_000;

const limitsOf = (waitMs: number): Limits => ({
  statement_timeout: 0,
  lock_timeout: waitMs,
  idle_in_transaction_session_timeout: 0,
});

export interface MigrateOptions {
  readonly migrations?: readonly Migration[];
  readonly lockMs?: number;
  readonly giveUpMs?: number;
  readonly say?: (line: string) => void;
  readonly serverRole?: string;
}

type WaitPolicy = Required<Pick<MigrateOptions, "lockMs" | "giveUpMs" | "say">>;

/**
 * Runs each pending migration, in a transaction of its own unless it must run outside one, and returns the names of
 * those that ran. Concurrent starts wait for each other. A database of a newer version stays unchanged.
 * @throws {Error} if PostgreSQL is too old or not UTF-8, the database is too new, a migration was edited after it ran,
 * or a table stays locked for `giveUpMs`
 */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<string[]> {
  await checkServer(pool);
  const patience = { lockMs, giveUpMs, say: () => {}, ...options };
  const migrations = options.migrations ?? (await listMigrations());
  const connection = await pool.reserve();
  try {
    await acquireMigrationLock(connection, patience.say);
    const applied = await readApplied(connection);
    const state = compareSchema(migrations, applied);
    const hashes = new Map(applied.map(({ name, hash }) => [name, hash]));
    for (const { name, hash } of migrations)
      if ((hashes.get(name) ?? hash) !== hash)
        throw new Error(`Migration ${name} was changed after it had been applied to this database.`);
    if (!state.mayRun)
      throw new Error(
        `The database is too new for this version: migration ${state.newer.at(-1)} is unknown. Start a newer version.`,
      );
    const { serverRole: role } = options;
    const isOwners = role === undefined || role === (await readRole(connection));
    // Privileges are granted in the migration's transaction, so that the server can use new objects even if this
    // process is killed.
    const grants = isOwners ? "" : `select platform.grant_to_server('${role.replaceAll("'", "''")}')`;
    for (const migration of migrations)
      if (state.pending.includes(migration.name)) await runWithRetries(connection, { ...migration, grants }, patience);
    if (!isOwners) {
      const has = await connection.value<boolean>`select has_schema_privilege(${role}, 'platform', 'usage')`;
      if (!has) await connection.script(grants);
    }
    return [...state.pending];
  } finally {
    await connection`select pg_advisory_unlock(${migrationLock})`.catch(() => undefined);
    await setLimits(connection, usualLimits, "connection").catch(() => undefined);
    connection.release();
  }
}

/**
 * The owner of the tables runs the migrations and grants privileges to the server's role. Without a separate owner, the
 * server's role owns the tables.
 */
export async function migrateAsOwner(
  pool: Pool,
  ownerUrl: string | undefined,
  options: Omit<MigrateOptions, "serverRole">,
): Promise<void> {
  if (ownerUrl === undefined) return void (await migrate(pool, options));
  const serverRole = await readRole(pool);
  const owner = openPool(ownerUrl, { connections: 1, name: "quintet owner" });
  try {
    await migrate(owner, { ...options, serverRole });
  } finally {
    await owner.end({ timeoutMs: 5000 });
  }
}

export async function findRole(url: string): Promise<string> {
  const pool = openPool(url, { connections: 1 });
  try {
    return await readRole(pool);
  } finally {
    await pool.end();
  }
}

const readRole = (db: Db): Promise<string> => db.value<string>`select current_user as role`;

/**
 * The lock is polled, because a statement that waits for it would block a concurrent index build in another process.
 */
async function acquireMigrationLock(connection: Session, say: WaitPolicy["say"]): Promise<void> {
  for (let asked = 1; ; asked++) {
    if (await connection.value<boolean>`select pg_try_advisory_lock(${migrationLock})`) return;
    if (asked % pollsPerReport === 0) say("waiting for another process that is migrating the database");
    await delay(lockPollMs);
  }
}

type Granting = Migration & { readonly grants: string };

async function runWithRetries(connection: Session, migration: Granting, patience: WaitPolicy): Promise<void> {
  const startMs = performance.now();
  const run = migration.isOutside ? runOutside : runInside;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(connection, migration, patience);
    } catch (error) {
      if (!isLockTimeout(error) && !isRepeatable(error)) throw error;
      const seconds = Math.round((performance.now() - startMs) / 1000);
      const holders = await describeHolders(connection);
      if (performance.now() - startMs > patience.giveUpMs)
        throw new Error(`${migration.name} could not lock its tables within ${seconds} s: ${holders}.`, {
          cause: error,
        });
      patience.say(`${migration.name} has been waiting for a table lock for ${seconds} s; ${holders}`);
    }
    await delay(Math.min(patience.lockMs * attempt, maxPauseMs) * (0.75 + Math.random() / 2));
  }
}

async function runInside(connection: Session, migration: Granting, { lockMs }: WaitPolicy): Promise<void> {
  await setLimits(connection, limitsOf(lockMs), "connection");
  try {
    // In migrations, unqualified names refer only to PostgreSQL's own objects.
    await connection.script(`begin; set local search_path = pg_catalog; ${migration.sql};\n${migration.grants}`);
    await recordApplied(connection, migration);
    await connection`commit`;
  } catch (error) {
    // Without the rollback, the advisory lock could not be released and the pool would get a connection in a failed
    // transaction.
    await connection`rollback`.catch(() => undefined);
    throw error;
  }
}

/** A statement outside a transaction waits for other transactions but blocks none, so it may wait long. */
async function runOutside(connection: Session, migration: Migration, { giveUpMs }: WaitPolicy): Promise<void> {
  await setLimits(connection, limitsOf(giveUpMs), "connection");
  // An interrupted concurrent build leaves an invalid index, which writes maintain but queries ignore.
  const left = await connection.values<string>`
    select indexrelid::regclass::text from pg_index join pg_class on oid = indexrelid
    where not indisvalid and pg_get_userbyid(relowner) = current_user`;
  for (const name of left) await connection.script(`drop index concurrently ${name}`);
  await connection.script(migration.sql);
  await recordApplied(connection, migration);
}

const recordApplied = (connection: Session, { name, hash, beside }: Migration): Promise<unknown> =>
  connection`insert into platform.migration (name, hash, beside) values (${name}, ${hash}, ${beside ?? null})`;

async function describeHolders(db: Db): Promise<string> {
  const [oldest] = await db<{ pid: number; name: string; seconds: number }[]>`
    select pid, coalesce(nullif(application_name, ''), backend_type) as name, extract(epoch from now() - xact_start)::int as seconds
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`;
  return oldest
    ? `the longest-running transaction belongs to process ${oldest.pid} (${oldest.name}) and has been open for ${oldest.seconds} s`
    : "no other transaction is open now";
}

async function checkServer(pool: Pool): Promise<void> {
  const [server] = await pool<{ version: number; encoding: string }[]>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`;
  if (!server || server.version < 140_000) throw new Error("PostgreSQL 14 or newer is required.");
  if (server.encoding !== "UTF8") throw new Error(`The database encoding must be UTF8, but is ${server.encoding}.`);
}
