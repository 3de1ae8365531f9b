import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { readDatabaseAddress } from "./address.ts";
import { ConnectionLoss, isUnconfirmed, toFailure } from "./failures.ts";
import type { Limits } from "./limits.ts";
import { countNames, mostNames } from "./sql.ts";
import { columnTypes } from "./values.ts";

export interface ClientOptions {
  readonly name: string;
  /** PostgreSQL's own time limits; the server's defaults if omitted. */
  readonly limits?: Limits | undefined;
}

/** For establishing a connection. */
const connectMs = 10_000;
/** TCP keep-alive starts after 10 s of silence. */
const keepAliveMs = 10_000;
/** A silent server does not answer a Terminate message either. */
const farewellMs = 1000;
/** How often a pool checks for overdue answers. */
const watchMs = 1000;
/** Bounds what a session accumulates over days, such as plans and caches. */
const longestLifeSeconds = 3600;

export const closed = (): ConnectionLoss =>
  new ConnectionLoss("CONNECTION_CLOSED", "the connection to the database is closed");

/** The driver's connection; no failure of it ends the process. */
export class DatabaseClient extends pg.Client {
  isClosed = false;
  /** Current work may finish, but the connection is not reused. */
  isDiscarded = false;
  /** Set when a commit must not be acknowledged although the server reported success. */
  commitDoubt: ConnectionLoss | undefined;
  /** The driver's flag for sending statements without awaiting earlier answers. */
  declare pipeline: boolean;
  readonly #firstName = countNames();
  readonly #oldAtMs = performance.now() + longestLifeSeconds * 1000;
  #unanswered = 0;
  #overdueAtMs = Number.POSITIVE_INFINITY;

  /** In the driver's pool this timeout would also limit waiting for a busy connection. */
  constructor(config: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectMs });
    // Statements report the failure; an unhandled event would end the process.
    this.on("error", () => {});
    this.once("end", () => (this.isClosed = true));
    this.on("notice", (notice) => {
      if (!isUnconfirmed(notice)) return;
      this.commitDoubt = new ConnectionLoss("CONNECTION_UNCONFIRMED", "no standby has confirmed what was committed");
      this.isDiscarded = true;
    });
  }

  /** Whether to close the connection when it is returned: lost, too old, or full of forgotten prepared statements. */
  get isRetired(): boolean {
    const isFull = countNames() - this.#firstName > 2 * mostNames;
    return this.isDiscarded || this.isClosed || isFull || performance.now() > this.#oldAtMs;
  }

  /**
   * Sends a statement with an answer deadline; 0 for none. The driver's `query_timeout` creates a timer per statement,
   * 50 of 260 µs for a list page, so the pool polls once a second instead.
   */
  ask(
    query: pg.QueryConfig,
    answerMs: number,
    onAnswer: (error: Error | undefined, result: pg.QueryResult) => void,
  ): void {
    this.#unanswered++;
    this.#overdueAtMs = answerMs === 0 ? Number.POSITIVE_INFINITY : performance.now() + answerMs;
    this.#writeTogether();
    this.query(query, (error: Error | undefined, result: pg.QueryResult) => {
      if (--this.#unanswered === 0) this.#overdueAtMs = Number.POSITIVE_INFINITY;
      onAnswer(error, result);
    });
  }

  /** Sends all statements of one turn in a single write, which otherwise costs as much as the rest of a statement. */
  #writeTogether(): void {
    const { stream } = this.connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  destroyIfOverdue(nowMs: number): void {
    if (nowMs > this.#overdueAtMs)
      this.destroyWith(new ConnectionLoss("CONNECTION_SILENT", "the database does not answer"));
  }

  /** Closes the socket; pending statements fail with the reason. */
  destroyWith(reason: Error): void {
    this.isDiscarded = true;
    this.connection.stream.destroy(reason);
  }

  /** Closes with a Terminate message, or without it if the server does not respond. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const late = setTimeout(() => this.destroyWith(closed()), farewellMs);
    this.once("end", () => clearTimeout(late));
    if (this.isClosed) clearTimeout(late);
    return callback ? super.end(callback) : super.end();
  }

  /**
   * Awaits work that would hang if the connection is lost.
   * @param mostMs until the server counts as silent; 0 for never
   * @throws {ConnectionLoss} on loss or silence.
   */
  async untilClosed<T>(work: Promise<T>, mostMs: number): Promise<T> {
    const gone = Promise.withResolvers<never>();
    const lose = (): void => gone.reject(closed());
    if (this.isClosed) lose();
    this.once("end", lose);
    const late = mostMs > 0 ? setTimeout(() => this.destroyWith(closed()), mostMs) : undefined;
    try {
      return await Promise.race([work, gone.promise]);
    } finally {
      clearTimeout(late);
      this.off("end", lose);
    }
  }
}

function toConfig(address: string, { name, limits }: ClientOptions): pg.ClientConfig {
  return {
    connectionString: readDatabaseAddress(address),
    // Otherwise the driver would consult environment variables.
    ssl: false,
    application_name: name,
    ...limits,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types: columnTypes,
  };
}

// For the job runner, and the session that shows that it is alive.
const jobs = { name: "quintet jobs", closeMs: 5000, connections: 10 };

export type Connection = Pick<DatabaseClient, "query" | "end">;

/** Opens a connection whose statements must be answered within `answerMs`. The caller must end it. */
export async function openConnection(
  address: string,
  { name = jobs.name, answerMs }: { readonly name?: string; readonly answerMs: number },
): Promise<DatabaseClient> {
  const client = new DatabaseClient({ ...toConfig(address, { name }), query_timeout: answerMs });
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw toFailure(error);
  }
}

/** The driver's pool, which can also be closed while connections are in use. */
export class DriverPool extends pg.Pool {
  readonly #clients = new Set<DatabaseClient>();
  readonly #watch = setInterval(() => {
    const nowMs = performance.now();
    for (const client of this.#clients) client.destroyIfOverdue(nowMs);
  }, watchMs).unref();

  constructor(address: string, max: number, options: ClientOptions) {
    super({
      ...toConfig(address, options),
      max,
      idleTimeoutMillis: 0,
      maxLifetimeSeconds: longestLifeSeconds,
      Client: DatabaseClient as unknown as new () => pg.ClientBase,
    });
    this.on("error", () => {});
    this.on("connect", (client) => this.#clients.add(client as unknown as DatabaseClient));
    this.on("remove", (client) => this.#clients.delete(client as unknown as DatabaseClient));
  }

  /** Stops lending and closes connections not returned within `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    clearInterval(this.#watch);
    const given = this.end();
    await Promise.race([given, delay(timeoutMs, undefined, { ref: false })]);
    const left = [...this.#clients].filter(({ isClosed }) => !isClosed);
    for (const client of left) if (this.totalCount > 0) client.destroyWith(closed());
    await Promise.all(left.map((client) => new Promise((resolve) => client.once("end", resolve))));
  }
}

/** A pool for graphile-worker, and how to close it afterwards. */
export function openWorkerPool(address: string, limits?: Limits) {
  const pgPool = new DriverPool(address, jobs.connections, { name: jobs.name, limits });
  return { pgPool, close: () => pgPool.close(jobs.closeMs) };
}
