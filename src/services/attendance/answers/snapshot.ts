import type { Readable } from "node:stream";
import { type Db, openSnapshot, type Pool } from "#platform/database/index.ts";

/**
 * Makes a stream out of one state of the database: what is checked before the first byte holds for the last, an import
 * that comes in between or not. The connection is kept until the stream has closed; `make` must ask the pool for no other.
 */
export async function streamSnapshot(pool: Pool, make: (db: Db) => Promise<Readable>): Promise<Readable> {
  const { db, close } = await openSnapshot(pool);
  try {
    const stream = await make(db);
    return stream.once("close", () => void close());
  } catch (error) {
    await close();
    throw error;
  }
}
