import type pg from "pg";
import type { DatabaseClient } from "./client.ts";
import type { Done, Taker } from "./client-pool.ts";
import { ConnectionLoss, isConnectionLoss, isReadOnly, isStalePlan, toFailure } from "./failures.ts";
import { forgetNames, Fragment, type Part, prepare, type Query, toStatement } from "./sql.ts";
import { toParameter, type Value } from "./values.ts";

/** A row whose columns the caller has not named. */
// oxlint-disable-next-line typescript/no-explicit-any -- as a query is written at the console: the columns are what they are
export type Row = Record<string, any>;

/**
 * A pool, or the transaction or session at hand: every function that runs SQL takes one as its first argument. As a tag
 * it runs a statement at once: db<{ id: number }[]>`select id from people where name = ${name}`.
 */
export interface Db {
  <Rows extends readonly object[] = Row[]>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<Rows>;
  <Rows extends readonly object[] = Row[]>(fragment: Fragment): Promise<Rows>;
  /** Runs a text of the code's own in which $1, $2 … stand for the values. */
  query<R extends object = Row>(text: string, values: readonly Value[]): Promise<R[]>;
  /** Runs a statement that writes, and returns how many rows it wrote: db.count`delete from people`. */
  count(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<number>;
  /** Runs statements without values as they stand, several with semicolons between, and returns the rows of the last. */
  script<R extends object = Row>(text: string): Promise<R[]>;
  /** For the functions of this folder. */
  readonly [line]: Line;
}

export const line = Symbol("line");

/** How statements get to a connection. */
export interface Line {
  readonly take: (taker: Taker) => void;
  /** Each statement is by itself, so one that failed before it began can be run again. */
  readonly isPool: boolean;
  /** False in a transaction that only reads: there a refusal to write says nothing of the server. */
  readonly mayWrite: boolean;
  readonly tell?: ((text: string, values: readonly unknown[]) => void) | undefined;
}

/** A connection at hand, and how to give it back. */
export interface Seat {
  readonly client: DatabaseClient;
  readonly done: Done;
}

export function openDb(own: Line): Db {
  const db = (first: TemplateStringsArray | Fragment, ...parts: readonly Part[]) =>
    runRows(own, first instanceof Fragment ? toStatement(first.texts, first.parts) : toStatement(first, parts));
  return Object.assign(db, {
    query: (text: string, values: readonly Value[]) => runRows(own, prepare(text, values.map(toParameter))),
    count: async (texts: TemplateStringsArray, ...parts: readonly Part[]) =>
      (await run(own, toStatement(texts, parts))).rowCount ?? 0,
    script: (text: string) => runRows(own, { text, values: [] }),
    [line]: own,
  }) as unknown as Db;
}

async function runRows(own: Line, query: Query): Promise<unknown[]> {
  const result = await run(own, query);
  // A script's results are a list when it has several statements.
  return (Array.isArray(result) ? (result as pg.QueryResult[]).at(-1)?.rows : result.rows) ?? [];
}

/** Runs one statement; its failure has the stack of whoever asked for it. */
export async function run(own: Line, query: Query): Promise<pg.QueryResult> {
  try {
    return await send(own, query).catch((error: unknown) => {
      // It has not begun, and its text has another name by now.
      if (own.isPool && isStalePlan(error)) return send(own, prepare(query.text, query.values));
      throw error;
    });
  } catch (error) {
    if (error instanceof Error) Error.captureStackTrace(error, run);
    throw error;
  }
}

function send(own: Line, { name, text, values }: Query): Promise<pg.QueryResult> {
  own.tell?.(text, values);
  return new Promise((resolve, reject) =>
    own.take((noConnection, client, done) => {
      if (!client) return reject(noConnection);
      const query = name === undefined ? { text } : { name, text, values: values as unknown[] };
      client.query(query, (error: Error | undefined, result: pg.QueryResult) => {
        const failure = error && judge(error, client, own);
        done();
        if (failure) reject(failure);
        else resolve(result);
      });
    }),
  );
}

/** What a statement failed with; sees to what it says of the connection, or of what was prepared. */
export function judge(error: Error, client: DatabaseClient, { mayWrite }: Line): Error {
  if (mayWrite && isReadOnly(error)) return client.leaveReadOnly() ?? error;
  const failure = toFailure(error);
  if (isStalePlan(failure)) forgetNames();
  client.isSpent ||= isConnectionLoss(failure);
  return failure;
}

/** Waits for a connection, for more than one statement. */
export const takeSeat = (own: Line): Promise<Seat> =>
  new Promise((resolve, reject) =>
    own.take((error, client, done) => (client ? resolve({ client, done }) : reject(error))),
  );

const over = (): ConnectionLoss => new ConnectionLoss("CONNECTION_CLOSED", "the transaction or session is over");

/** Statements on one connection: one after the other, in the order in which they came, until it is closed. */
export function openTurns(client: DatabaseClient): { take: Line["take"]; isBusy: () => boolean; close: () => void } {
  const waiting: Taker[] = [];
  let isBusy = false;
  let isClosed = false;
  const next = (): void => {
    const taker = waiting.shift();
    isBusy = taker !== undefined;
    taker?.(undefined, client, next);
  };
  return {
    take(taker) {
      if (isClosed) taker(over(), undefined, () => {});
      else if (isBusy) waiting.push(taker);
      else {
        isBusy = true;
        taker(undefined, client, next);
      }
    },
    isBusy: () => isBusy,
    close() {
      isClosed = true;
      for (const taker of waiting.splice(0)) taker(over(), undefined, () => {});
    },
  };
}
