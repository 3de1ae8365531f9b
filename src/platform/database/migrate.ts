import { setTimeout as delay } from "node:timers/promises";
import { type Db, setLimits } from "./db.ts";
import { isLockTimeout, isRepeatable } from "./failures.ts";
import { type Limits, usualLimits } from "./limits.ts";
import { compareSchema, listMigrations, type Migration, readApplied } from "./migrations.ts";
import { openPool, type Pool, type Session } from "./pool.ts";

// Any number will do as long as every process takes the same one.
const migrationLock = 5_140_912_711;
const lockPollMs = 200;
const pollsPerReport = 50;

/**
 * Who waits for a table makes all who come later wait as well: a change has so long to get its locks, and is tried again
 * after a pause in which the others go on. The shortest statements of a busy table end well within it.
 */
const lockMs = 2000;
const maxPauseMs = 10_000;
/** Longer than all but the largest imports; whoever starts the process starts it again. */
const giveUpMs = 300_000;

// A table of many years takes its time.
const limitsOf = (waitMs: number): Limits => ({
  statement_timeout: 0,
  lock_timeout: waitMs,
  idle_in_transaction_session_timeout: 0,
});

export interface MigrateOptions {
  /** Left out: those that this program brings. */
  readonly migrations?: readonly Migration[];
  readonly lockMs?: number;
  readonly giveUpMs?: number;
  /** Is told why it takes long. */
  readonly say?: (line: string) => void;
  /** Who is given what it needs of the tables, where another role owns them. */
  readonly serverRole?: string;
}

type WaitPolicy = Required<Pick<MigrateOptions, "lockMs" | "giveUpMs" | "say">>;

/**
 * Brings the database up to this version, each migration in a transaction of its own; processes that start together
 * wait for one another. A database that a newer version has changed stays as it is. Returns the names of those it ran.
 * @throws when the database is too old, not UTF-8, too new for this version, when a migration was edited after it ran, or
 * when somebody has held a table for five minutes on end.
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
      if ((hashes.get(name) ?? hash) !== hash) throw new Error(`${name} was changed after this database had it.`);
    if (!state.mayRun)
      throw new Error(
        `The database is too new for this version: it has had ${state.newer.at(-1)}. Start the version that knows it, or one beside which it may run.`,
      );
    const { serverRole: role } = options;
    const isOwners = role === undefined || role === (await readRole(connection));
    // In the transaction of each migration, so that the server can use what it has made, whenever the process is killed.
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
 * Brings the database up to date as the owner of its tables, who then gives the server's role what it needs; without an owner
 * of their own the server's role owns them.
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

/** Asks again and again: a statement that waited for its turn would itself be waited for by an index that is being built. */
async function acquireMigrationLock(connection: Session, say: WaitPolicy["say"]): Promise<void> {
  for (let asked = 1; ; asked++) {
    if (await connection.value<boolean>`select pg_try_advisory_lock(${migrationLock})`) return;
    if (asked % pollsPerReport === 0) say("another process migrates the database; waiting for it");
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
        throw new Error(`${migration.name} has not got its tables for ${seconds} s, and gives up: ${holders}.`, {
          cause: error,
        });
      patience.say(`${migration.name} waits for a table, ${seconds} s until now; ${holders}`);
    }
    await delay(Math.min(patience.lockMs * attempt, maxPauseMs) * (0.75 + Math.random() / 2));
  }
}

async function runInside(connection: Session, migration: Granting, { lockMs }: WaitPolicy): Promise<void> {
  await setLimits(connection, limitsOf(lockMs), "connection");
  try {
    // Names without a schema are PostgreSQL's own, whatever others have put into theirs.
    await connection.script(`begin; set local search_path = pg_catalog; ${migration.sql};\n${migration.grants}`);
    await recordApplied(connection, migration);
    await connection`commit`;
  } catch (error) {
    // Else the turn could not be given back, and the pool would hand out a connection in a broken transaction.
    await connection`rollback`.catch(() => undefined);
    throw error;
  }
}

/** It waits for transactions and holds up nobody meanwhile, so it may wait for long. */
async function runOutside(connection: Session, migration: Migration, { giveUpMs }: WaitPolicy): Promise<void> {
  await setLimits(connection, limitsOf(giveUpMs), "connection");
  // An attempt that was cut off leaves an index that every write keeps and no query uses.
  const left = await connection.values<string>`
    select indexrelid::regclass::text from pg_index join pg_class on oid = indexrelid
    where not indisvalid and pg_get_userbyid(relowner) = current_user`;
  for (const name of left) await connection.script(`drop index concurrently ${name}`);
  await connection.script(migration.sql);
  await recordApplied(connection, migration);
}

const recordApplied = (connection: Session, { name, hash, beside }: Migration): Promise<unknown> =>
  connection`insert into platform.migration (name, hash, beside) values (${name}, ${hash}, ${beside ?? null})`;

/** Who has been in a transaction for the longest, which is mostly who holds the table. */
async function describeHolders(db: Db): Promise<string> {
  const [oldest] = await db<{ pid: number; name: string; seconds: number }[]>`
    select pid, coalesce(nullif(application_name, ''), backend_type) as name, extract(epoch from now() - xact_start)::int as seconds
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
    order by xact_start limit 1`;
  return oldest
    ? `the longest transaction, for ${oldest.seconds} s, is that of process ${oldest.pid} (${oldest.name})`
    : "no transaction is open any more";
}

async function checkServer(pool: Pool): Promise<void> {
  const [server] = await pool<{ version: number; encoding: string }[]>`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`;
  if (!server || server.version < 140_000) throw new Error("PostgreSQL 14 or newer is needed.");
  if (server.encoding !== "UTF8") throw new Error(`The database must be UTF8, it is ${server.encoding}.`);
}
