import type { Db, Pool } from "#platform/database.ts";
import type { FileAnswer } from "#platform/endpoint.ts";

/**
 * Makes a streamed answer out of one state of the database: what is checked before the first byte holds for the last, an
 * import that comes in between or not. The connection is kept until the stream has closed; `make` must ask the pool for
 * no other.
 */
export async function answerFromSnapshot(pool: Pool, make: (db: Db) => Promise<FileAnswer>): Promise<FileAnswer> {
  const connection = await pool.reserve();
  const close = async (): Promise<void> => {
    await connection`commit`.catch(() => undefined);
    connection.release();
  };
  try {
    await connection`begin isolation level repeatable read read only`;
    const answer = await make(connection);
    if (answer.stream) answer.stream.once("close", () => void close());
    else await close();
    return answer;
  } catch (error) {
    await close();
    throw error;
  }
}
