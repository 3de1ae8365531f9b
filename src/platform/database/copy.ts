import { once } from "node:events";
import { from, to } from "pg-copy-streams";
import { nameFailure, tracer } from "#platform/tracing/tracer.ts";
import { type Db, judge, line, takeSeat } from "./db.ts";
import { toFailure } from "./failures.ts";

// Rows go into the database by COPY, the fastest way in.

/** A COPY under way. Its connection, or transaction, can do nothing else until it has ended. */
export interface CopyIn {
  /** Resolves when there is room for more. */
  write(text: Uint8Array | string): Promise<void>;
  /** Only then are the rows there. */
  finish(): Promise<void>;
  /** Undoes it. */
  abandon(): void;
}

/**
 * Begins a COPY. What the database has against it, a broken constraint say, is thrown by `write` or `finish`.
 * @param target table and columns, such as `people (name, number)`; never of a request.
 */
export async function openCopyIn(db: Db, target: string, options = ""): Promise<CopyIn> {
  const text = `copy ${target} from stdin ${options}`;
  db[line].tell?.(text, []);
  const span = tracer?.beginStatement(text);
  const { client, done } = await takeSeat(db[line]);
  const copy = client.query(from(text));
  let failure: Error | undefined;
  const end = (): void => {
    span?.end(failure && nameFailure(failure));
    done();
  };
  copy.once("finish", end).on("error", (error) => {
    // Else the library would go on to send what it has left, on a connection that it has let go of: an error nobody takes.
    copy.destroy();
    failure ??= judge(error, client, db[line]);
  });
  copy.once("error", end);
  const wait = async (event: "drain" | "finish"): Promise<void> => {
    try {
      await once(copy, event);
    } catch (error) {
      throw toFailure(error);
    }
  };
  // A first piece of no bytes is let through when the database has agreed to the COPY.
  await new Promise<void>((resolve, reject) => {
    copy.once("error", (error) => reject(toFailure(error)));
    copy.write("", () => resolve());
  });
  return {
    async write(piece) {
      if (failure) throw failure;
      if (!copy.write(piece)) await wait("drain");
    },
    async finish() {
      if (failure) throw failure;
      copy.end();
      await wait("finish");
    },
    abandon() {
      if (!failure) copy.destroy(new Error("the import was given up"));
    },
  };
}

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
