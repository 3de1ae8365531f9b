import postgres from "postgres";
import { readDatabaseAddress } from "#platform/database-address.ts";
import { openSteadyPool } from "#platform/steady-pool.ts";
import type { OpenSocket } from "#platform/steady-socket.ts";

/** A connection pool, or the transaction at hand: every function that runs SQL takes one as its first argument. */
export type Db = postgres.Sql | postgres.TransactionSql;
export type Pool = postgres.Sql;
/** A piece of SQL to be put together with others. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** In milliseconds, by PostgreSQL's names. A COPY is one statement. */
export interface Limits {
  readonly statement_timeout: number;
  readonly lock_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
}

/**
 * What a request may take of the database. The slowest statement of a list of a million rows takes a second; whoever waits
 * longer than these for a lock, or holds one in idleness, would hold up all others.
 */
export const usualLimits: Limits = {
  statement_timeout: 60_000,
  lock_timeout: 15_000,
  idle_in_transaction_session_timeout: 60_000,
};

/** For imports, analyses and tallies: as long as the longest request may last, and as its client may say nothing. */
export const longLimits: Limits = {
  statement_timeout: 1_800_000,
  lock_timeout: 1_800_000,
  idle_in_transaction_session_timeout: 300_000,
};

export interface PoolOptions {
  readonly connections: number;
  readonly name?: string;
  readonly limits?: Limits;
  /** Is told of every statement with its values, for a benchmark that runs the same ones; never for a log. */
  readonly onStatement?: (text: string, values: readonly unknown[]) => void;
}

/**
 * Opens a pool on a PostgreSQL 14 to 18. Instants are Dates, bigint columns are numbers (every id and count of the
 * platform stays below 2^53), statements are prepared once a connection. What is under way when the database goes fails
 * with a connection loss; what comes when it is back is served.
 */
export function openPool(url: string, options: PoolOptions): Pool {
  const address = readDatabaseAddress(url);
  return openSteadyPool((socket) => openConnections(address.url, options, socket), address.tls);
}

const longestPauseSeconds = 1;

function openConnections(
  url: string,
  { connections, name = "quintet", limits = usualLimits, onStatement }: PoolOptions,
  socket: OpenSocket,
) {
  return postgres(url, {
    max: connections,
    connect_timeout: 10,
    backoff: (retries) => Math.min(0.05 * retries, longestPauseSeconds),
    connection: { application_name: name, ...limits },
    onnotice: () => {},
    socket,
    // The socket sees to it.
    ssl: false,
    ...(onStatement ? { debug: (_id, text, values) => onStatement(text, values) } : {}),
    types: {
      bigint: { to: 20, from: [20], serialize: String, parse: Number },
      // A year over 9999 is "+010000-…" to JavaScript and "10000-…" to PostgreSQL.
      date: { to: 1184, from: [1082, 1114, 1184], serialize: toTimestamp, parse: (text: string) => new Date(text) },
    },
  } as postgres.Options<{
    bigint: postgres.PostgresType<number>;
    date: postgres.PostgresType<Date>;
  }>) as unknown as Pool;
}

const toTimestamp = (value: Date | string): string =>
  (value instanceof Date ? value.toISOString() : value).replace(/^\+0*/, "");

/** Deadlock and serialization failures: the transaction was undone whole and may be run again as it is. */
const repeatableStates = new Set(["40001", "40P01"]);

/**
 * Runs `work` in one transaction and returns its value after the commit. A deadlock is tried again twice, so `work`
 * must do nothing but SQL. No other handle than `tx` may be used inside.
 */
export async function inTransaction<T>(pool: Pool, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await pool.begin((tx) => work(tx))) as T;
    } catch (error) {
      if (attempt === 3 || !repeatableStates.has(stateOf(error))) throw error;
    }
  }
}

/** As inTransaction, for work that takes as long as an import does. */
export const inLongTransaction = <T>(pool: Pool, work: (tx: Db) => Promise<T>): Promise<T> =>
  inTransaction(pool, async (tx) => {
    await setLimits(tx, longLimits, "transaction");
    return work(tx);
  });

/** Sets what a transaction, or the connection at hand, may take from now on. */
export async function setLimits(db: Db, limits: Limits, span: "transaction" | "connection"): Promise<void> {
  await db`
    select set_config(name, value, ${span === "transaction"})
    from unnest(${Object.keys(limits)}::text[], ${Object.values(limits).map(String)}::text[]) as wanted (name, value)`;
}

/** Runs reads that see one state of the database, whatever is committed between them. */
export async function inSnapshot<T>(pool: Pool, work: (tx: Db) => Promise<T>): Promise<T> {
  return (await pool.begin("isolation level repeatable read read only", (tx) => work(tx))) as T;
}

/**
 * Whether the database has said that the transaction failed. Of a connection that was lost nobody can tell: the COMMIT may
 * have been heard, and only its answer not.
 */
export const isUndone = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && !isConnectionLoss(error);

const stateOf = (error: unknown): string => (error instanceof postgres.PostgresError ? error.code : "");

/** The name of the constraint that a statement broke, when that is why it failed. */
export function brokenConstraint(error: unknown): string | undefined {
  const broken = error instanceof postgres.PostgresError && error.code.startsWith("23");
  return broken ? error.constraint_name : undefined;
}

/** Whether the disk has no room for what was to be stored: the database's own, or the one that files are written to. */
export const isDiskFull = (error: unknown): boolean =>
  stateOf(error) === "53100" || (error as { code?: unknown } | null)?.code === "ENOSPC";

/** Whether the database could not be reached, or ended the connection: nothing is wrong with the request. */
export function isConnectionLoss(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  if (typeof code !== "string") return false;
  // A file that is not there has the code of a socket that is not there.
  if (code === "ENOENT") return syscall === "connect";
  return /^(?:ECONN|ENOTFOUND|EAI_AGAIN|CONNECT|EPIPE)/.test(code) || /^(?:57P0|08|53300|25P03)/.test(code);
}

const overLimitStates = new Set(["57014", "55P03"]);

/** Whether a statement, or its wait for a lock, took longer than it may. */
export const isOverLimit = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && overLimitStates.has(error.code);
