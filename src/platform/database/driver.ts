import pg from "pg";
import { connect, type DatabaseClient } from "./client.ts";
import { ClientPool } from "./client-pool.ts";
import { Hosts } from "./hosts.ts";
import type { Limits } from "./limits.ts";

// Who speaks to the driver itself: the runner of jobs, and the session that says which runners live.

const name = "quintet jobs";
const closeMs = 5000;

/** A connection whose statements must be answered within `answerMs`. It must be closed. */
export type Connection = Pick<DatabaseClient, "query" | "close">;

export const openConnection = (address: string, { answerMs }: { readonly answerMs: number }): Promise<Connection> =>
  connect(new Hosts(address), { name, answerMs, connectMs: answerMs });

/** A pool as graphile-worker wants it, and how to end it when the worker has ended. */
export function openWorkerPool(
  address: string,
  limits?: Limits,
): { readonly pgPool: pg.Pool; readonly close: () => Promise<void> } {
  const pool = new ClientPool(new Hosts(address), { connections: 10, name, limits });
  return { pgPool: new WorkerPool(pool), close: () => pool.close(closeMs) };
}

/** The driver's pool with connections out of ours. */
class WorkerPool extends pg.Pool {
  readonly #pool: ClientPool;

  constructor(pool: ClientPool) {
    super({ max: pool.most });
    this.#pool = pool;
    // Where nobody listens to these, the worker would.
    this.on("error", () => {}).on("connect", () => {});
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: PoolTaker): void;
  override connect(callback?: PoolTaker): Promise<pg.PoolClient> | void {
    const { promise, resolve, reject } = Promise.withResolvers<pg.PoolClient>();
    const take: PoolTaker = callback ?? ((error, client) => (client ? resolve(client) : reject(error)));
    this.#pool.take((error, client, done) => {
      process.nextTick(take, error, client && Object.assign(client, { release: done }), done);
    });
    if (!callback) return promise;
  }
}

type PoolTaker = (error: Error | undefined, client: pg.PoolClient | undefined, done: () => void) => void;
