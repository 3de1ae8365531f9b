import { once } from "node:events";
import { from, to } from "pg-copy-streams";
import { nameFailure, tracer } from "#platform/tracing/tracer.ts";
import { type Db, toStatementError, executor, leaseClient } from "./db.ts";
import { toFailure } from "./failures.ts";

// Rows go into the database by COPY, the fastest way in.

export type CopyIn = Awaited<ReturnType<typeof openCopyIn>>;

/**
 * Begins a COPY, until the end of which its connection, or transaction, can do nothing else. What the database has against it, a
 * broken constraint say, is thrown by `write` or `finish`.
 * @param target table and columns, such as `people (name, number)`; never of a request.
 */
export async function openCopyIn(db: Db, target: string) {
  const text = `copy ${target} from stdin`;
  db[executor].tell?.(text, []);
  const span = tracer?.beginStatement(text);
  const { client, done } = await leaseClient(db[executor]);
  const copy = client.query(from(text));
  let failure: Error | undefined;
  const end = (): void => {
    span?.end(failure && nameFailure(failure));
    done();
  };
  copy.once("finish", end).on("error", (error) => {
    // Else the library would go on to send what it has left, on a connection that it has let go of: an error nobody takes.
    copy.destroy();
    failure ??= toStatementError(error, client, db[executor]);
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
    /** Resolves when there is room for more. */
    async write(piece: Uint8Array | string): Promise<void> {
      if (failure) throw failure;
      if (!copy.write(piece)) await wait("drain");
    },
    /** Only then are the rows there. */
    async finish(): Promise<void> {
      if (failure) throw failure;
      copy.end();
      await wait("finish");
    },
    abandon(): void {
      if (!failure) copy.destroy(new Error("the import was given up"));
    },
  };
}

/** Copies all pieces into the database. @param target as in `openCopyIn` */
export async function copyIn(
  db: Db,
  target: string,
  pieces: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
): Promise<void> {
  const copy = await openCopyIn(db, target);
  try {
    for await (const piece of pieces) await copy.write(piece);
  } catch (error) {
    copy.abandon();
    throw error;
  }
  await copy.finish();
}

/**
 * The bytes of a COPY out of the database, in pieces, as fast as they are taken. Keeps its connection until the end.
 * @param source what stands between `copy` and `to stdout`; never of a request.
 */
export async function* copyOut(db: Db, source: string): AsyncGenerator<Buffer, void, undefined> {
  const text = `copy ${source} to stdout`;
  db[executor].tell?.(text, []);
  const { client, done } = await leaseClient(db[executor]);
  const copy = client.query(to(text));
  try {
    for await (const piece of copy) {
      yield piece as Buffer;
    }
  } catch (error) {
    throw toStatementError(toFailure(error), client, db[executor]);
  } finally {
    // One that was not read to its end leaves a connection that nobody can use.
    client.isDiscarded ||= !copy.readableEnded;
    done();
  }
}
