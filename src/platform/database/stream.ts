import Cursor from "pg-cursor";
import { type Db, judge, line, takeSeat } from "./db.ts";
import { toFailure } from "./failures.ts";
import { type Fragment, type Query, toStatement } from "./sql.ts";

/**
 * The rows of a statement in batches, read as fast as they are taken. Keeps its connection until the end; ending the
 * iteration early frees it.
 */
export const streamRows = <R extends object>(
  db: Db,
  { texts, parts }: Fragment,
  batchRows: number,
): AsyncGenerator<R[]> => streamStatement<R>(db, toStatement(texts, parts), batchRows);

export async function* streamStatement<R extends object>(
  db: Db,
  { text, values }: Query,
  batchRows: number,
): AsyncGenerator<R[], void, undefined> {
  db[line].tell?.(text, values);
  const { client, done } = await takeSeat(db[line]);
  const cursor = client.query(new Cursor<R>(text, values as unknown[]));
  let isOpen = true;
  try {
    while (isOpen) {
      client.isResting = false;
      const rows = await client.orGone(cursor.read(batchRows));
      client.isResting = true;
      isOpen = rows.length === batchRows;
      if (rows.length > 0) yield rows;
    }
  } catch (error) {
    // The cursor has ended what it had open, and would wait for ever to end it again.
    isOpen = false;
    throw judge(toFailure(error), client, db[line]);
  } finally {
    client.isResting = false;
    if (isOpen) await client.orGone(cursor.close()).catch(() => undefined);
    done();
  }
}
