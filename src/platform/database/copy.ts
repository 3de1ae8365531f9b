import { once } from "node:events";
import { from, to } from "pg-copy-streams";
import { nameFailure, tracer } from "#platform/tracing/tracer.ts";
import { type Db, toStatementError, executor, leaseClient } from "./db.ts";
import { toFailure } from "./failures.ts";

export type CopyIn = Awaited<ReturnType<typeof openCopyIn>>;

/**
 * While the COPY runs, its connection or transaction cannot run other statements. `write` and `finish` throw database
 * errors, such as violated constraints.
 * @param target the table and its columns, such as `people (name, number)`; it must never come from a request
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
    // Without `destroy`, the library would continue to send on a released connection, which would cause an unhandled
    // error.
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
  // The callback of an empty first chunk is called once the database has accepted the COPY statement.
  await new Promise<void>((resolve, reject) => {
    copy.once("error", (error) => reject(toFailure(error)));
    copy.write("", () => resolve());
  });
  return {
    async write(piece: Uint8Array | string): Promise<void> {
      if (failure) throw failure;
      if (!copy.write(piece)) await wait("drain");
    },
    /** The rows are in the table only after this call has succeeded. */
    async finish(): Promise<void> {
      if (failure) throw failure;
      copy.end();
      await wait("finish");
    },
    abandon(): void {
      if (!failure) copy.destroy(new Error("the rows could not all be sent"));
    },
  };
}

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
 * Keeps its connection until the stream ends.
 * @param source the part of the statement between `copy` and `to stdout`; it must never come from a request
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
    // An unfinished COPY makes the connection unusable.
    client.isDiscarded ||= !copy.readableEnded;
    done();
  }
}
