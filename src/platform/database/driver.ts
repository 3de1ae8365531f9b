import type pg from "pg";
import { connect, type DatabaseClient, DriverPool } from "./client.ts";
import type { Limits } from "./limits.ts";

// Who speaks to the driver itself: the runner of jobs, and the session that says which runners live.

const name = "quintet jobs";
const closeMs = 5000;
const connections = 10;

/** A connection whose statements must be answered within `answerMs`. It must be closed. */
export type Connection = Pick<DatabaseClient, "query" | "close">;

export const openConnection = (address: string, { answerMs }: { readonly answerMs: number }): Promise<Connection> =>
  connect(address, { name, answerMs });

/** A pool as graphile-worker wants it, and how to end it when the worker has ended. */
export function openWorkerPool(
  address: string,
  limits?: Limits,
): { readonly pgPool: pg.Pool; readonly close: () => Promise<void> } {
  const pgPool = new DriverPool(address, connections, { name, limits });
  return { pgPool, close: () => pgPool.close(closeMs) };
}
