import Cursor from "pg-cursor";
import type { Span } from "#platform/tracing/otlp.ts";
import { nameFailure, tracer } from "#platform/tracing/tracer.ts";
import { type Db, toStatementError, executor, leaseClient } from "./db.ts";
import { toFailure } from "./failures.ts";
import { type Fragment, prepare, type Query, toStatement } from "./sql.ts";
import { toParameter, type Value } from "./values.ts";

export type Statement = ReturnType<typeof startStatement>;

/** The texts of a statement come only from code; values from requests are added with `value`. */
export function startStatement() {
  const values: Value[] = [];
  return {
    value: (value: Value | undefined = null): string => `$${values.push(value)}`,
    run: <T extends object>(db: Db, text: string): Promise<T[]> => db.query<T>(text, values),
    stream: <T extends object>(db: Db, text: string, batchRows: number): AsyncIterable<T[]> =>
      streamStatement<T>(db, prepare(text, values.map(toParameter)), batchRows),
  };
}

/** Returns the rows in batches. The statement keeps its connection until the iteration ends, even if it ends early. */
export const streamRows = <R extends object>(
  db: Db,
  { texts, parts }: Fragment,
  batchRows: number,
): AsyncGenerator<R[]> => streamStatement<R>(db, toStatement(texts, parts), batchRows);

/** The tracing span starts with this call and not with the iteration, which may run in another request's context. */
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
    // A failed cursor is already closed; closing it again would never be answered.
    isOpen = false;
    throw (failure = toStatementError(toFailure(error), client, db[executor]));
  } finally {
    if (isOpen) await client.untilClosed(cursor.close(), db[executor].answerMs).catch(() => undefined);
    span?.end(failure && nameFailure(failure));
    done();
  }
}
