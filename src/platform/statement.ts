import type postgres from "postgres";
import type { Db } from "#platform/database.ts";

/**
 * A statement that is put together out of parts, such as a list with its filters. Texts come from the code alone; every
 * value of a request goes through `value`, which stands for it in the text as $1, $2 … (postgres.js can nest templates
 * too, but builds an object and a text for each: a tenth of a list page's time).
 */
export interface Statement {
  /** Takes a value and returns its place in the text. */
  value(value: postgres.ParameterOrJSON<never> | undefined): string;
  /** Runs the text with the values taken so far, prepared once a connection. */
  run<T extends object>(db: Db, text: string): postgres.PendingQuery<T[]>;
}

export function startStatement(): Statement {
  const values: postgres.ParameterOrJSON<never>[] = [];
  return {
    value: (value = null) => `$${values.push(value)}`,
    // Without `simple: false` a statement that has no values would be parsed and planned every time.
    run: (db, text) => db.unsafe(text, values, { prepare: true, simple: false } as postgres.UnsafeQueryOptions),
  };
}
