import { once } from "node:events";
import { from, to } from "pg-copy-streams";
import { nameFailure, tracer } from "#platform/tracing/tracer.ts";
import { type Db, toStatementError, executor, leaseClient } from "./db.ts";
import { toFailure } from "./failures.ts";

export type CopyIn = Awaited<ReturnType<typeof openCopyIn>>;

/**
 * During the COPY its connection or transaction can do nothing else. `write` and `finish` throw database errors, such
 * as violated constraints.
 * @param target table and columns, such as `people (name, number)`; never from a request
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
    // The library would otherwise keep sending on a released connection, which emits an unhandled error.
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
  // An empty first chunk is accepted once the database has agreed to the COPY.
  await new Promise<void>((resolve, reject) => {
    copy.once("error", (error) => reject(toFailure(error)));
    copy.write("", () => resolve());
  });
  return {
    async write(piece: Uint8Array | string): Promise<void> {
      if (failure) throw failure;
      if (!copy.write(piece)) await wait("drain");
    },
    /** The rows exist only after this. */
    async finish(): Promise<void> {
      if (failure) throw failure;
      copy.end();
      await wait("finish");
    },
    abandon(): void {
      if (!failure) copy.destroy(new Error("the import was cancelled"));
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
 * Holds its connection until the stream ends.
 * @param source the part between `copy` and `to stdout`; never from a request
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
