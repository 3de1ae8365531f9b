import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { readDatabaseAddress } from "./address.ts";
import { ConnectionLoss, isUnconfirmed, toFailure } from "./failures.ts";
import type { Limits } from "./limits.ts";
import { countNames, mostNames } from "./sql.ts";
import { columnTypes } from "./values.ts";

export interface ClientOptions {
  readonly name: string;
  readonly limits?: Limits | undefined;
}

const connectMs = 10_000;
const keepAliveMs = 10_000;
/**
 * Closing waits at most this long, because a server that does not answer will not answer a Terminate message either.
 */
const farewellMs = 1000;
const watchMs = 1000;
/** A connection is replaced after this time, which limits what a session accumulates, such as plans and caches. */
const longestLifeSeconds = 3600;

export const closed = (): ConnectionLoss =>
  new ConnectionLoss("CONNECTION_CLOSED", "the connection to the database is closed");

/** A failure of this connection fails its statements, but never ends the process. */
export class DatabaseClient extends pg.Client {
  isClosed = false;
  isDiscarded = false;
  /** Set when a commit must not be acknowledged, although the server reported success. */
  commitDoubt: ConnectionLoss | undefined;
  /** The driver's flag that lets statements be sent without awaiting earlier answers. */
  declare pipeline: boolean;
  readonly #firstName = countNames();
  readonly #oldAtMs = performance.now() + longestLifeSeconds * 1000;
  #unanswered = 0;
  #overdueAtMs = Number.POSITIVE_INFINITY;

  /**
   * The timeout for connecting is set here, because in the driver's pool it would also limit waiting for a busy
   * connection.
   */
  constructor(config: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectMs });
    // Without a listener the error event would end the process; the statements report the failure anyway.
    this.on("error", () => {});
    this.once("end", () => (this.isClosed = true));
    this.on("notice", (notice) => {
      if (!isUnconfirmed(notice)) return;
      this.commitDoubt = new ConnectionLoss("CONNECTION_UNCONFIRMED", "no standby has confirmed the commit");
      this.isDiscarded = true;
    });
  }

  get isRetired(): boolean {
    const isFull = countNames() - this.#firstName > 2 * mostNames;
    return this.isDiscarded || this.isClosed || isFull || performance.now() > this.#oldAtMs;
  }

  /**
   * Sends a statement that must be answered within `answerMs`; 0 means no deadline. The driver's `query_timeout` would
   * create a timer per statement, which takes 50 of the 260 µs of a list page, so the pool checks deadlines once a
   * second instead.
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

  /**
   * Sends all statements of one turn of the event loop in a single write, since a write costs as much as all other work
   * on a statement.
   */
  #writeTogether(): void {
    const { stream } = this.connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  destroyIfOverdue(nowMs: number): void {
    if (nowMs > this.#overdueAtMs)
      this.destroyWith(new ConnectionLoss("CONNECTION_SILENT", "the database does not respond"));
  }

  destroyWith(reason: Error): void {
    this.isDiscarded = true;
    this.connection.stream.destroy(reason);
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const late = setTimeout(() => this.destroyWith(closed()), farewellMs);
    this.once("end", () => clearTimeout(late));
    if (this.isClosed) clearTimeout(late);
    return callback ? super.end(callback) : super.end();
  }

  /**
   * Waits for work that would otherwise never end if the connection were lost.
   * @param mostMs the time after which the server counts as silent; 0 for never
   * @throws {ConnectionLoss} on loss or silence
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
    // If `ssl` were missing, the driver would read PGSSLMODE instead.
    ssl: false,
    application_name: name,
    ...limits,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types: columnTypes,
  };
}

const jobs = { name: "quintet jobs", closeMs: 5000, connections: 10 };

export type Connection = Pick<DatabaseClient, "query" | "end">;

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

  async close(timeoutMs: number): Promise<void> {
    clearInterval(this.#watch);
    const given = this.end();
    await Promise.race([given, delay(timeoutMs, undefined, { ref: false })]);
    const left = [...this.#clients].filter(({ isClosed }) => !isClosed);
    for (const client of left) if (this.totalCount > 0) client.destroyWith(closed());
    await Promise.all(left.map((client) => new Promise((resolve) => client.once("end", resolve))));
  }
}

export function openWorkerPool(address: string, limits?: Limits) {
  const pgPool = new DriverPool(address, jobs.connections, { name: jobs.name, limits });
  return { pgPool, close: () => pgPool.close(jobs.closeMs) };
}
