import pg from "pg";
import { ConnectionLoss, isConnectionLoss, isUnconfirmed, toFailure } from "./failures.ts";
import type { Hosts } from "./hosts.ts";
import type { Limits } from "./limits.ts";
import { countNames, mostNames } from "./sql.ts";
import { columnTypes } from "./values.ts";

export interface ClientOptions {
  readonly name: string;
  /** After which a statement has failed, in ms; left out, it may take as long as it takes. */
  readonly answerMs?: number;
  /** To be let in, in ms. */
  readonly connectMs?: number;
  /** What PostgreSQL itself lets its work take; left out, as the server is set. */
  readonly limits?: Limits | undefined;
  /** A pooler is in between: the session is ours within a transaction alone, and knows nothing of us outside. */
  readonly isShared?: boolean;
}

/** Whether the other end of a connection that rests is still there, the system asks after 10 s, ten times in as many. */
const keepAliveMs = 10_000;
const connectMs = 10_000;

/** A server that says nothing does not answer to a farewell either. */
export const farewellMs = 1000;

const closed = (): ConnectionLoss =>
  new ConnectionLoss("CONNECTION_CLOSED", "the connection to the database is closed");

const unconfirmed = (): ConnectionLoss =>
  new ConnectionLoss("CONNECTION_UNCONFIRMED", "no standby has confirmed what was committed");

/** A connection to the host that is good at the moment. Whatever happens to it, the process goes on. */
export class DatabaseClient extends pg.Client {
  readonly url: string;
  readonly isShared: boolean;
  /** Somebody has a cursor or a COPY open and asks nothing of the server at the moment. */
  isResting = false;
  isGone = false;
  /** What is under way may finish; then it is not used again. */
  isSpent = false;
  /** Why what the server calls committed is not to be acknowledged. */
  doubt: ConnectionLoss | undefined;
  /** The driver's own: false while a statement is under way. */
  declare readyForQuery: boolean | undefined;
  declare processID: number;
  /** The driver's own: whether a statement leaves without waiting for the answer to the one before it. */
  declare pipeline: boolean;
  readonly #hosts: Hosts;
  readonly #firstName = countNames();
  readonly #readOnlySettings = new Set<string>();

  constructor(hosts: Hosts, options: ClientOptions) {
    const url = hosts.current;
    super(toConfig(url, hosts, options));
    this.url = url;
    this.isShared = options.isShared ?? false;
    this.#hosts = hosts;
    // Those who work on it hear of it by their statements; an event that nobody takes would end the process.
    this.on("error", () => {});
    this.once("end", () => (this.isGone = true));
    this.on("notice", (notice) => {
      if (!isUnconfirmed(notice)) return;
      this.doubt = unconfirmed();
      this.isSpent = true;
    });
    this.connection.on("parameterStatus", (message: ParameterStatus) => this.#note(message));
  }

  /** A statement is under way, and nothing that it waits for but the server. */
  get isWaiting(): boolean {
    return this.readyForQuery === false && !this.isResting && !this.isGone;
  }

  /** How far the talk with the server is; it stands still while neither side gets anything. */
  get progress(): string {
    const { bytesRead = 0, writableLength } = this.connection.stream as { bytesRead?: number; writableLength: number };
    return `${bytesRead}/${writableLength}`;
  }

  /** Whether it is ended when it is given back; what has lost its name stays prepared until then. */
  get isOver(): boolean {
    return this.isSpent || this.isGone || countNames() - this.#firstName > 2 * mostNames;
  }

  /** Whether another host must be found. A pooler tells for ever what it was told once, so the server itself is asked. */
  async takesNoWrites(): Promise<boolean> {
    if (!this.#hosts.address.mustWrite) return false;
    if (!this.isShared) return this.#readOnlySettings.size > 0;
    const { rows } = await this.query<{ on: boolean }>(askReadOnly);
    return rows[0]?.on === true;
  }

  /** Ends it at once: what is under way fails with the reason. */
  cut(reason: Error): void {
    this.isSpent = true;
    this.connection.stream.destroy(reason);
  }

  /** Ends it with a farewell, or without one if the server does not take it. */
  async close(): Promise<void> {
    const late = setTimeout(() => this.cut(closed()), farewellMs);
    await this.end();
    clearTimeout(late);
  }

  /**
   * Ends this connection, and goes on to the next host if there is one: behind one name, too, another server may answer
   * whoever comes again.
   */
  leaveReadOnly(): ConnectionLoss {
    const loss = new ConnectionLoss("CONNECTION_READ_ONLY", "the database takes no writes");
    this.#hosts.leave(this.url);
    this.cut(loss);
    return loss;
  }

  /** Waits for something on the connection that never comes when the connection is gone. @throws {ConnectionLoss} then. */
  async orGone<T>(work: Promise<T>): Promise<T> {
    const gone = Promise.withResolvers<never>();
    const lose = (): void => gone.reject(closed());
    if (this.isGone) lose();
    this.once("end", lose);
    try {
      return await Promise.race([work, gone.promise]);
    } finally {
      this.off("end", lose);
    }
  }

  /** PostgreSQL tells both at the start and when they change. */
  #note({ parameterName, parameterValue }: ParameterStatus): void {
    if (!readOnlySettings.has(parameterName)) return;
    if (parameterValue === "on") this.#readOnlySettings.add(parameterName);
    else this.#readOnlySettings.delete(parameterName);
    const isLeft = this.#hosts.address.mustWrite && !this.isShared && this.#readOnlySettings.size > 0;
    if (this.readyForQuery !== undefined && isLeft) this.leaveReadOnly();
  }
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

const readOnlySettings = new Set(["in_hot_standby", "default_transaction_read_only"]);
/** A pooler lets everybody in, whatever has become of the server behind it: the answer may not come. */
const askReadOnly = {
  text: `select pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean as "on"`,
  query_timeout: connectMs,
};

function toConfig(url: string, { address }: Hosts, options: ClientOptions): pg.ClientConfig {
  return {
    connectionString: url,
    // Said even when it is none: the driver would ask its environment.
    ssl: isFileSocket(url) ? false : (address.tls ?? false),
    application_name: options.name,
    // PgBouncer refuses parameters that it does not know; there each transaction says them anew.
    ...(options.isShared ? {} : options.limits),
    connectionTimeoutMillis: options.connectMs ?? connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    types: columnTypes,
    ...(options.answerMs === undefined ? {} : { query_timeout: options.answerMs }),
  };
}

const isFileSocket = (url: string): boolean =>
  decodeURIComponent(new URL(url).searchParams.get("host") ?? new URL(url).hostname).startsWith("/");

/** Opens a connection, to the first host that will do. @throws {ConnectionLoss} of the last that was tried. */
export async function connect(hosts: Hosts, options: ClientOptions): Promise<DatabaseClient> {
  for (let left = hosts.count; ; left--) {
    const client = new DatabaseClient(hosts, options);
    const failure = await client
      .connect()
      .then(() => client.takesNoWrites())
      .then(
        (isLeft) => (isLeft ? client.leaveReadOnly() : undefined),
        (error: unknown) => toFailure(error),
      );
    if (!failure) return client;
    client.cut(failure);
    if (isConnectionLoss(failure)) hosts.leave(client.url);
    if (!isConnectionLoss(failure) || left <= 1) throw failure;
  }
}
