import { type Keyring, noKeys } from "#platform/sealing/keyring.ts";
import { DriverPool } from "./client.ts";
import { ClientPool, type ClientCallback } from "./client-pool.ts";
import { answerWithin, type Db, type Executor, executor, openDb, openPipeline, type Lease, leaseClient } from "./db.ts";
import { type Limits, usualLimits, writeLimits } from "./limits.ts";
import { openListener } from "./listener.ts";

export interface Session extends Db {
  /**
   * Returns the connection to the pool. If a statement or transaction is still open, closes the connection instead,
   * which rolls the transaction back.
   */
  release(): void;
}

export interface Pool extends Db {
  readonly isShared: boolean;
  reserve(): Promise<Session>;
  /**
   * Waits until a connection is free for new work; returns false if none will be free soon. It reserves nothing:
   * started work takes precedence, and its statements are never refused.
   */
  mayBegin(): Promise<boolean>;
  /**
   * All subscriptions share one connection. `onListen` is called after each connect and reconnect, since notifications
   * before it may have been lost.
   * @throws {Error} if it cannot connect now
   */
  listen(channel: string, onNotify: (payload: string) => void, onListen?: () => void): Promise<void>;
  readFigures(): ReturnType<ClientPool["readFigures"]>;
  end(options?: { readonly timeoutMs?: number }): Promise<void>;
}

export interface PoolOptions {
  readonly connections: number;
  readonly name?: string;
  readonly limits?: Limits;
  /** Receives every statement with its values. It is for benchmarks only; the values must never be logged. */
  readonly onStatement?: (text: string, values: readonly unknown[]) => void;
  /**
   * The URL of the same database without the pooler, such as PgBouncer in transaction mode; sessions and LISTEN use it.
   */
  readonly direct?: string | undefined;
  readonly keys?: Keyring;
}

const maxDirect = 4;

/**
 * Supports PostgreSQL 14 to 18. Timestamps are read as Dates, and bigint as number, since all ids and counts are below
 * 2^53. Work on a lost connection fails with an error that `isConnectionLoss` recognises; lost connections are replaced
 * on demand.
 */
export function openPool(address: string, options: PoolOptions): Pool {
  const { connections, name = "quintet", limits = usualLimits, onStatement: tell, direct, keys = noKeys } = options;
  const isShared = direct !== undefined;
  // PgBouncer refuses unknown startup parameters, so behind a pooler each transaction sets its limits.
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
