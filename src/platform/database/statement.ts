import type { Db } from "./db.ts";
import { prepare } from "./sql.ts";
import { streamStatement } from "./stream.ts";
import { toParameter, type Value } from "./values.ts";

/**
 * A statement that is put together out of parts, such as a list with its filters. Texts come from the code alone; every
 * value of a request goes through `value`, which stands for it in the text as $1, $2 …
 */
export interface Statement {
  /** Takes a value and returns its place in the text. */
  value(value: Value | undefined): string;
  /** Runs the text with the values taken so far, prepared once a connection. */
  run<T extends object>(db: Db, text: string): Promise<T[]>;
  /** The same in batches, for as many rows as there are. */
  stream<T extends object>(db: Db, text: string, batchRows: number): AsyncIterable<T[]>;
}

export function startStatement(): Statement {
  const values: Value[] = [];
  return {
    value: (value = null) => `$${values.push(value)}`,
    run: <T extends object>(db: Db, text: string) => db.query<T>(text, values),
    stream: (db, text, batchRows) => streamStatement(db, prepare(text, values.map(toParameter)), batchRows),
  };
}
