import type { FastifyBaseLogger } from "fastify";
import { openAuditSink } from "#platform/accounts/audit.ts";
import { refuseUnfinishedRestore } from "#platform/backup/index.ts";
import { admitKeys } from "#platform/data-keys/keys.ts";
import {
  isConnectionLoss,
  migrateAsOwner,
  openPool,
  type Pool,
  readSchemaState,
  reviewAddresses,
} from "#platform/database/index.ts";
import { DataDirInUse } from "#platform/embedded-postgres/data-lock.ts";
import { readRunningUrl, startEmbeddedPostgres, toOwnerUrl } from "#platform/embedded-postgres/index.ts";
import { migrateJobs } from "#platform/jobs/runner.ts";
import { loadKeyring } from "#platform/sealing/settings.ts";
import { sealedColumns } from "./app.ts";
import type { Settings } from "./settings.ts";

type Log = Pick<FastifyBaseLogger, "error" | "warn">;
const silentLog: Log = { error() {}, warn() {} };

export interface Database {
  /** A URL that bypasses any connection pooler, for features that need a session. */
  readonly directUrl: string;
  readonly pool: Pool;
  readonly describe: string;
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export interface Postgres {
  readonly url: string;
  readonly directUrl?: string | undefined;
  /** The URL for the tables' owner, if the server connects as another role. */
  readonly ownerUrl?: string | undefined;
  readonly describe: string;
  stop(): Promise<void>;
}

const elsewhere = (address: Omit<Postgres, "stop">): Postgres => ({ ...address, stop: async () => {} });

const leastConnections = 100;
/** The number of connections outside the pools, such as those for jobs, LISTEN and administrators. */
const otherConnections = 40;

/**
 * Returns the database at DATABASE_URL, or starts the embedded PostgreSQL. If a running server uses the same data, the
 * call returns that server's PostgreSQL if `beside` is "server", and throws if `beside` is "alone".
 */
export async function findPostgres(
  { DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_OWNER_URL, DATA_DIR, DATABASE_POOL }: Settings,
  beside: "alone" | "server",
  log: Log = silentLog,
): Promise<Postgres> {
  if (DATABASE_URL !== undefined)
    return elsewhere({
      url: DATABASE_URL,
      directUrl: DATABASE_DIRECT_URL,
      ownerUrl: DATABASE_OWNER_URL,
      describe: "external PostgreSQL (DATABASE_URL)",
    });
  try {
    return await startEmbeddedPostgres({
      dataDir: DATA_DIR,
      // The pool counts twice, since a command that runs beside the server has its own pool.
      maxConnections: Math.max(leastConnections, 2 * DATABASE_POOL + otherConnections),
      onLost: (why) => log.error({ why }, "PostgreSQL stopped unexpectedly and is being restarted"),
      onBack: () => log.warn("PostgreSQL is running again"),
    });
  } catch (error) {
    if (beside === "alone" || !(error instanceof DataDirInUse)) throw error;
    const url = await readRunningUrl(DATA_DIR);
    return elsewhere({ url, ownerUrl: toOwnerUrl(url), describe: "the PostgreSQL of the running server" });
  }
}

export async function openDatabase(
  settings: Settings,
  beside: "alone" | "server",
  log: Log = silentLog,
): Promise<Database> {
  const keys = await loadKeyring(settings);
  const server = await findPostgres(settings, beside, log);
  const { url, directUrl = url } = server;
  const pool = openPool(url, { connections: settings.DATABASE_POOL, direct: server.directUrl, keys });
  // Audit entries must not appear in the output of a command.
  const sink = openAuditSink(beside === "server" && settings.AUDIT_LOG === "stdout" ? undefined : settings.AUDIT_LOG);
  const close = async () => {
    await pool.end({ timeoutMs: 5000 });
    await sink?.close();
    await server.stop();
  };
  let warnings: string[];
  try {
    await refuseUnfinishedRestore(pool);
    const wrong = await reviewAddresses(pool);
    await migrateAsOwner(pool, server.ownerUrl, { say: (line) => log.warn(line) });
    await migrateJobs(directUrl);
    await admitKeys(pool, sealedColumns);
    const { newer } = await readSchemaState(pool);
    const found = `the database schema is newer than this program (migration ${newer.at(-1)}): upgrade this program`;
    warnings = newer.length > 0 ? [...wrong, found] : wrong;
  } catch (error) {
    await close();
    throw isConnectionLoss(error)
      ? new Error(`${server.describe} cannot be reached: ${(error as Error).message}`, { cause: error })
      : error;
  }
  return { directUrl, pool, describe: server.describe, warnings, close };
}

export async function withDatabase<T>(
  settings: Settings,
  work: (pool: Pool) => Promise<T>,
  log: Log = silentLog,
): Promise<T> {
  const database = await openDatabase(settings, "server", log);
  try {
    return await work(database.pool);
  } finally {
    await database.close();
  }
}
