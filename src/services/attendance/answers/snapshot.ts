import type { Readable } from "node:stream";
import type { Db, Pool } from "#platform/database/index.ts";

/**
 * Makes a stream out of one state of the database: what is checked before the first byte holds for the last, an import
 * that comes in between or not. The connection is kept until the stream has closed; `make` must ask the pool for no other.
 */
export async function streamSnapshot(pool: Pool, make: (db: Db) => Promise<Readable>): Promise<Readable> {
  const connection = await pool.reserve();
  const close = async (): Promise<void> => {
    await connection`commit`.catch(() => undefined);
    connection.release();
  };
  try {
    await connection`begin isolation level repeatable read read only`;
    const stream = await make(connection);
    return stream.once("close", () => void close());
  } catch (error) {
    await close();
    throw error;
  }
}
