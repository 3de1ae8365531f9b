import { ClientPool, type Taker } from "./client-pool.ts";
import { type Db, type Line, line, openDb, openLine, type Seat, takeSeat } from "./db.ts";
import { Hosts } from "./hosts.ts";
import { type Limits, usualLimits } from "./limits.ts";
import { openListener } from "./listener.ts";

/** One connection: what runs on it runs one after the other. */
export interface Session extends Db {
  /** Gives the connection back; what it has open, such as a transaction, ends with it. */
  release(): void;
}

export interface Pool extends Db {
  /** A connection for somebody who needs the same one for a while. It must be released. */
  reserve(): Promise<Session>;
  /**
   * Hears what is told on a channel, on one connection for all channels that is made again as often as it is lost.
   * `onListen` is called each time: what was told meanwhile is lost. @throws {ConnectionLoss} when it cannot be made now.
   */
  listen(channel: string, onNotify: (payload: string) => void, onListen?: () => void): Promise<void>;
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
  /** How long the server may say nothing before it is asked whether it is there, in ms; for tests. */
  readonly patienceMs?: number;
}

/**
 * Opens a pool on a PostgreSQL 14 to 18. Instants are Dates, bigint columns are numbers (every id and count of the
 * platform stays below 2^53), statements are prepared once a connection. What is under way on a connection that is lost
 * fails with a connection loss; another takes its place when somebody needs it.
 */
export function openPool(address: string, options: PoolOptions): Pool {
  const { connections, name = "quintet", limits = usualLimits, onStatement, patienceMs } = options;
  const hosts = new Hosts(address);
  const clients = new ClientPool(hosts, { connections, name, limits, patienceMs });
  const take = (taker: Taker): void => clients.take(taker);
  const own: Line = { take, takeAlone: take, isPool: true, mayWrite: true, tell: onStatement };
  const listener = openListener(hosts, { name, patienceMs });
  return Object.assign(openDb(own), {
    reserve: async () => openSession(own, await takeSeat(own)),
    listen: listener.listen,
    async end({ timeoutMs }: { readonly timeoutMs?: number } = {}) {
      await Promise.all([listener.end(), clients.close(timeoutMs)]);
    },
  });
}

/** The statements of one connection that was taken out of the pool. */
export function openSession(pool: Line, { client, done }: Seat, own: SessionOptions = {}): Session {
  const { mayWrite = true, fail } = own;
  const { take, takeAlone, isBusy, close } = openLine(client);
  let isReleased = false;
  return Object.assign(openDb({ take, takeAlone, isPool: false, mayWrite, fail, tell: pool.tell }), {
    release() {
      if (isReleased) return;
      isReleased = true;
      close();
      client.isSpent ||= isBusy() || client.getTransactionStatus() !== "I";
      done();
    },
  });
}

type SessionOptions = Partial<Pick<Line, "mayWrite" | "fail">>;

export const takeSession = async (pool: Pool, own: SessionOptions): Promise<Session> =>
  openSession(pool[line], await takeSeat(pool[line]), own);
