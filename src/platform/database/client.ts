import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { readDatabaseAddress } from "./address.ts";
import { ConnectionLoss, isUnconfirmed, toFailure } from "./failures.ts";
import type { Limits } from "./limits.ts";
import { countNames, mostNames } from "./sql.ts";
import { columnTypes } from "./values.ts";

export interface ClientOptions {
  readonly name: string;
  /** What PostgreSQL itself lets its work take; left out, as the server is set. */
  readonly limits?: Limits | undefined;
}

/** To be let in. */
const connectMs = 10_000;
/** Whether the other end of a connection that rests is still there, the system asks after 10 s, ten times in as many. */
const keepAliveMs = 10_000;
/** A server that says nothing does not answer to a farewell either. */
const farewellMs = 1000;
/** How often a pool looks for a server that does not answer. */
const watchMs = 1000;
/** What a session gathers over the days, such as plans and caches, goes with it. */
const longestLifeSeconds = 3600;

export const closed = (): ConnectionLoss =>
  new ConnectionLoss("CONNECTION_CLOSED", "the connection to the database is closed");

/** The driver's connection. Whatever happens to it, the process goes on. */
export class DatabaseClient extends pg.Client {
  isClosed = false;
  /** What is under way may finish; then it is not used again. */
  isDiscarded = false;
  /** Why what the server calls committed is not to be acknowledged. */
  commitDoubt: ConnectionLoss | undefined;
  /** The driver's own: whether a statement leaves without waiting for the answer to the one before it. */
  declare pipeline: boolean;
  readonly #firstName = countNames();
  readonly #oldAtMs = performance.now() + longestLifeSeconds * 1000;
  #unanswered = 0;
  #overdueAtMs = Number.POSITIVE_INFINITY;

  /** The driver's pool would also let nobody wait longer than this time-out for a connection that others work on. */
  constructor(config: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectMs });
    // Those who work on it hear of it by their statements; an event that nobody takes would end the process.
    this.on("error", () => {});
    this.once("end", () => (this.isClosed = true));
    this.on("notice", (notice) => {
      if (!isUnconfirmed(notice)) return;
      this.commitDoubt = new ConnectionLoss("CONNECTION_UNCONFIRMED", "no standby has confirmed what was committed");
      this.isDiscarded = true;
    });
  }

  /** Whether it is ended when it is given back; what has lost its name stays prepared until then. */
  get isRetired(): boolean {
    const isFull = countNames() - this.#firstName > 2 * mostNames;
    return this.isDiscarded || this.isClosed || isFull || performance.now() > this.#oldAtMs;
  }

  /**
   * Sends a statement whose answer must come within `answerMs`; 0: whenever. The driver's own `query_timeout` makes a timer a
   * statement, which cost a list page 50 of its 260 µs; a pool looks at its connections once a second instead.
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

  /** Statements of one turn leave in one write, which costs the process as much as all else about a statement. */
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

  /** Ends it at once: what is under way fails with the reason. */
  destroyWith(reason: Error): void {
    this.isDiscarded = true;
    this.connection.stream.destroy(reason);
  }

  /** Ends it with a farewell, or without one if the server does not take it. */
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const late = setTimeout(() => this.destroyWith(closed()), farewellMs);
    this.once("end", () => clearTimeout(late));
    if (this.isClosed) clearTimeout(late);
    return callback ? super.end(callback) : super.end();
  }

  /**
   * Waits for something on the connection that never comes when the connection is gone.
   * @param mostMs after which the server is taken for silent; 0: never
   * @throws {ConnectionLoss} then.
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
    // Where the address says nothing of it, the driver would ask its environment.
    ssl: false,
    application_name: name,
    ...limits,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types: columnTypes,
  };
}

// Of the runner of jobs, and of the session that says which runners live.
const jobs = { name: "quintet jobs", closeMs: 5000, connections: 10 };

export type Connection = Pick<DatabaseClient, "query" | "end">;

/** A connection whose statements must be answered within `answerMs`. It must be ended. */
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

/** The driver's pool; it ends even when somebody keeps a connection. */
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

  /** Takes no more work, and cuts off who has not given a connection back after `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    clearInterval(this.#watch);
    const given = this.end();
    await Promise.race([given, delay(timeoutMs, undefined, { ref: false })]);
    const left = [...this.#clients].filter(({ isClosed }) => !isClosed);
    for (const client of left) if (this.totalCount > 0) client.destroyWith(closed());
    await Promise.all(left.map((client) => new Promise((resolve) => client.once("end", resolve))));
  }
}

/** A pool as graphile-worker wants it, and how to end it when the worker has ended. */
export function openWorkerPool(address: string, limits?: Limits) {
  const pgPool = new DriverPool(address, jobs.connections, { name: jobs.name, limits });
  return { pgPool, close: () => pgPool.close(jobs.closeMs) };
}
