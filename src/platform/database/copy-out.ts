import { to } from "pg-copy-streams";
import { type Db, judge, line, takeSeat } from "./db.ts";
import { toFailure } from "./failures.ts";

/**
 * The bytes of a COPY out of the database, in pieces, as fast as they are taken. Keeps its connection until the end.
 * @param source what stands between `copy` and `to stdout`; never of a request.
 */
export async function* copyOut(db: Db, source: string, options = ""): AsyncGenerator<Buffer, void, undefined> {
  const text = `copy ${source} to stdout ${options}`;
  db[line].tell?.(text, []);
  const { client, done } = await takeSeat(db[line]);
  const copy = client.query(to(text));
  try {
    for await (const piece of copy) {
      yield piece as Buffer;
    }
  } catch (error) {
    throw judge(toFailure(error), client, db[line]);
  } finally {
    // One that was not read to its end leaves a connection that nobody can use.
    client.isSpent ||= !copy.readableEnded;
    done();
  }
}
