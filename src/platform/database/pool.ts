import { type Keyring, noKeys } from "#platform/sealing/keyring.ts";
import { DriverPool } from "./client.ts";
import { ClientPool, type ClientCallback } from "./client-pool.ts";
import { answerWithin, type Db, type Executor, executor, openDb, openPipeline, type Lease, leaseClient } from "./db.ts";
import { type Limits, usualLimits, writeLimits } from "./limits.ts";
import { openListener } from "./listener.ts";

/** One connection: what runs on it runs one after the other. */
export interface Session extends Db {
  /** Gives the connection back; what it has open, such as a transaction, ends with it. */
  release(): void;
}

export interface Pool extends Db {
  /** A pooler may be in between: a session is kept for a transaction alone. */
  readonly isShared: boolean;
  /** A connection for somebody who needs the same session for a while. It must be released. */
  reserve(): Promise<Session>;
  /**
   * Waits until a connection is free for work that has not begun; false where none is to be had soon. It takes none: work
   * that may begin gets its connections before all that has not begun, and is never refused one.
   */
  mayBegin(): Promise<boolean>;
  /**
   * Hears what is told on a channel, on one connection for all channels that is made again as often as it is lost.
   * `onListen` is called each time: what was told meanwhile is lost. @throws {ConnectionLoss} when it cannot be made now.
   */
  listen(channel: string, onNotify: (payload: string) => void, onListen?: () => void): Promise<void>;
  /** How full it is at the moment, and how long connections were waited for. */
  readFigures(): ReturnType<ClientPool["readFigures"]>;
  /** Takes no more work, and cuts off what has not ended after `timeoutMs`; left out, it waits. */
  end(options?: { readonly timeoutMs?: number }): Promise<void>;
}

export interface PoolOptions {
  readonly connections: number;
  /** By which PostgreSQL knows the connections. */
  readonly name?: string;
  readonly limits?: Limits;
  /** Is told of every statement with its values, for a benchmark that runs the same ones; never for a log. */
  readonly onStatement?: (text: string, values: readonly unknown[]) => void;
  /**
   * Another way to the same database. `address` then may lead through a pooler in transaction mode, as PgBouncer's:
   * nothing is left in a session there, and who needs one of their own, or listens, goes this way.
   */
  readonly direct?: string | undefined;
  /** By which what is stored is sealed; left out, nothing is. */
  readonly keys?: Keyring;
}

/** Of a process, two imports at once have a session of their own, and whoever migrates. */
const maxDirect = 4;

/**
 * Opens a pool on a PostgreSQL 14 to 18. Instants are Dates, bigint columns are numbers (every id and count of the
 * platform stays below 2^53), statements are prepared once a connection. What is under way on a connection that is lost
 * fails with a connection loss; another takes its place when somebody needs it.
 */
export function openPool(address: string, options: PoolOptions): Pool {
  const { connections, name = "quintet", limits = usualLimits, onStatement: tell, direct, keys = noKeys } = options;
  const isShared = direct !== undefined;
  // PgBouncer refuses parameters that it does not know; there each transaction says its limits anew.
  const clients = new ClientPool(new DriverPool(address, connections, { name, limits: isShared ? undefined : limits }));
  const sessions = isShared ? new ClientPool(new DriverPool(direct, maxDirect, { name, limits })) : clients;
  const shared = { tell, keys, answerMs: answerWithin(limits) };
  const own = toPoolExecutor(clients, { ...shared, isShared, afterBegin: isShared ? writeLimits(limits) : "" });
  const sessionExecutor = toPoolExecutor(sessions, { ...shared, isShared: false, afterBegin: "" });
  const listener = openListener(direct ?? address, name);
  return Object.assign(openDb(own), {
    isShared,
    reserve: async () => openSession(sessionExecutor, await leaseClient(sessionExecutor)),
    mayBegin: () => new Promise<boolean>((resolve) => clients.askToBegin(resolve)),
    listen: listener.listen,
    readFigures: () => clients.readFigures(),
    async end({ timeoutMs }: { readonly timeoutMs?: number } = {}) {
      await Promise.all([listener.end(), ...[...new Set([clients, sessions])].map((one) => one.close(timeoutMs))]);
    },
  });
}

function toPoolExecutor(
  clients: ClientPool,
  more: Omit<Executor, "take" | "takeAlone" | "isPool" | "mayWrite">,
): Executor {
  const take = (taker: ClientCallback): void => clients.take(taker);
  return { take, takeAlone: take, isPool: true, mayWrite: true, ...more };
}

/** The statements of one connection that was taken out of the pool. */
function openSession(pool: Executor, { client, done }: Lease, own: SessionOptions = {}): Session {
  const { take, takeAlone, isBusy, close } = openPipeline(client);
  let isReleased = false;
  return Object.assign(openDb({ ...pool, ...own, take, takeAlone, isPool: false }), {
    release() {
      if (isReleased) return;
      isReleased = true;
      close();
      client.isDiscarded ||= isBusy() || client.getTransactionStatus() !== "I";
      done();
    },
  });
}

type SessionOptions = Partial<Pick<Executor, "mayWrite" | "fail" | "committed">>;

export const takeSession = async (pool: Pool, own: SessionOptions): Promise<Session> =>
  openSession(pool[executor], await leaseClient(pool[executor]), own);
