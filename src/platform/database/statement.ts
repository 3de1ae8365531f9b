import Cursor from "pg-cursor";
import type { Span } from "#platform/tracing/otlp.ts";
import { nameFailure, tracer } from "#platform/tracing/tracer.ts";
import { type Db, toStatementError, executor, leaseClient } from "./db.ts";
import { toFailure } from "./failures.ts";
import { type Fragment, prepare, type Query, toStatement } from "./sql.ts";
import { toParameter, type Value } from "./values.ts";

export type Statement = ReturnType<typeof startStatement>;

/**
 * A statement that is put together out of parts, such as a list with its filters. Texts come from the code alone; every
 * value of a request goes through `value`, which stands for it in the text as $1, $2 …
 */
export function startStatement() {
  const values: Value[] = [];
  return {
    /** Takes a value and returns its place in the text. */
    value: (value: Value | undefined = null): string => `$${values.push(value)}`,
    /** Runs the text with the values taken so far, prepared once a connection. */
    run: <T extends object>(db: Db, text: string): Promise<T[]> => db.query<T>(text, values),
    /** The same in batches, for as many rows as there are. */
    stream: <T extends object>(db: Db, text: string, batchRows: number): AsyncIterable<T[]> =>
      streamStatement<T>(db, prepare(text, values.map(toParameter)), batchRows),
  };
}

/**
 * The rows of a statement in batches, read as fast as they are taken. Keeps its connection until the end; ending the
 * iteration early frees it.
 */
export const streamRows = <R extends object>(
  db: Db,
  { texts, parts }: Fragment,
  batchRows: number,
): AsyncGenerator<R[]> => streamStatement<R>(db, toStatement(texts, parts), batchRows);

/** Its span begins with the call, for the rows may be taken by somebody who works for another request. */
const streamStatement = <R extends object>(
  db: Db,
  query: Query,
  batchRows: number,
): AsyncGenerator<R[], void, undefined> => readBatches<R>(db, query, batchRows, tracer?.beginStatement(query.text));

async function* readBatches<R extends object>(
  db: Db,
  { text, values }: Query,
  batchRows: number,
  span: Span | undefined,
): AsyncGenerator<R[], void, undefined> {
  db[executor].tell?.(text, values);
  const { client, done } = await leaseClient(db[executor]);
  const cursor = client.query(new Cursor<R>(text, values as unknown[]));
  let isOpen = true;
  let failure: Error | undefined;
  try {
    while (isOpen) {
      const rows = await client.untilClosed(cursor.read(batchRows), db[executor].answerMs);
      isOpen = rows.length === batchRows;
      if (rows.length > 0) yield rows;
    }
  } catch (error) {
    // The cursor has ended what it had open, and would wait for ever to end it again.
    isOpen = false;
    throw (failure = toStatementError(toFailure(error), client, db[executor]));
  } finally {
    if (isOpen) await client.untilClosed(cursor.close(), db[executor].answerMs).catch(() => undefined);
    span?.end(failure && nameFailure(failure));
    done();
  }
}
