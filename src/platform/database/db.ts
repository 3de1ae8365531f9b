import type pg from "pg";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { nameFailure, tracer } from "#platform/tracing/tracer.ts";
import type { DatabaseClient } from "./client.ts";
import type { ClientCallback } from "./client-pool.ts";
import { ConnectionLoss, isConnectionLoss, isReadOnly, isStalePlan, toFailure } from "./failures.ts";
import type { Limits } from "./limits.ts";
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
  /** The first row; undefined without one. */
  first<R extends object = Row>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<R | undefined>;
  /** The one column of the first row, such as a count or a new id; undefined without one. */
  value<T>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<T>;
  /** The one column of each row. */
  values<T>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<T[]>;
  /** How many rows a statement has written or found: db.count`delete from people`. */
  count(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<number>;
  /**
   * Runs a statement whose answer nobody needs before the next one. In a transaction it resolves once it is on its way,
   * and its failure is the transaction's; elsewhere it waits.
   */
  send(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<void>;
  /** Runs statements without values as they stand, several with semicolons between, and returns the rows of the last. */
  script<R extends object = Row>(text: string): Promise<R[]>;
  /** By which stores seal and open what the database must not show. */
  readonly keys: Keyring;
  /** For the functions of this folder. */
  readonly [executor]: Executor;
}

export const executor = Symbol("line");

export interface Executor {
  readonly take: (taker: ClientCallback) => void;
  /** Waits for the connection without others' statements on it, for what answers to the server as it goes: cursors, COPY. */
  readonly takeAlone: (taker: ClientCallback) => void;
  /** Of a transaction: what a statement that nobody waited for has failed with. */
  readonly fail?: ((failure: unknown) => void) | undefined;
  /** Of a transaction: what is done once it has been committed. */
  readonly committed?: (() => void)[] | undefined;
  /** Each statement is by itself, so one that failed before it began can be run again. */
  readonly isPool: boolean;
  /** False in a transaction that only reads: there a refusal to write says nothing of the server. */
  readonly mayWrite: boolean;
  /** A pooler is in between: the session is ours within a transaction alone, and knows none of our names outside. */
  readonly isShared: boolean;
  /** What is said after every `begin`, with its semicolon: limits that the session does not keep. */
  readonly afterBegin: string;
  /** After which a server that has not answered is taken for silent, in ms; 0: never. */
  answerMs: number;
  readonly keys: Keyring;
  readonly tell?: ((text: string, values: readonly unknown[]) => void) | undefined;
}

export interface Lease {
  readonly client: DatabaseClient;
  readonly done: () => void;
}

export function openDb(own: Executor): Db {
  const db = (first: TemplateStringsArray | Fragment, ...parts: readonly Part[]) =>
    run(own, first instanceof Fragment ? toStatement(first.texts, first.parts) : toStatement(first, parts), toRows);
  return Object.assign(db, {
    query: (text: string, values: readonly Value[]) => run(own, prepare(text, values.map(toParameter)), toRows),
    first: (texts: TemplateStringsArray, ...parts: readonly Part[]) =>
      run(own, toStatement(texts, parts), ({ rows }) => rows[0]),
    value: (texts: TemplateStringsArray, ...parts: readonly Part[]) =>
      run(own, toStatement(texts, parts), ({ rows }) => Object.values(rows[0] ?? {})[0]),
    values: (texts: TemplateStringsArray, ...parts: readonly Part[]) =>
      run(own, toStatement(texts, parts), ({ rows }) => rows.map((row: object) => Object.values(row)[0])),
    count: (texts: TemplateStringsArray, ...parts: readonly Part[]) =>
      run(own, toStatement(texts, parts), ({ rowCount }) => rowCount ?? 0),
    send: (texts: TemplateStringsArray, ...parts: readonly Part[]) => sendUnawaited(own, toStatement(texts, parts)),
    script: (text: string) => run(own, { text, values: [] }, toRows),
    keys: own.keys,
    [executor]: own,
  }) as unknown as Db;
}

// A script's results are a list when it has several statements.
const toRows = (result: pg.QueryResult | pg.QueryResult[]): unknown[] =>
  (Array.isArray(result) ? result.at(-1)?.rows : result.rows) ?? [];

/** Runs a statement without waiting for it where its failure is noted. */
export async function sendUnawaited(own: Executor, query: Query): Promise<void> {
  const sent = run(own, query, toRows);
  if (own.fail) sent.catch(own.fail);
  else await sent;
}

/** Runs one statement; its failure has the stack of whoever asked for it. */
export async function run<T>(own: Executor, query: Query, read: (result: pg.QueryResult) => T): Promise<T> {
  for (let sent = query; ; sent = prepare(query.text, query.values)) {
    try {
      return await send(own, sent, read);
    } catch (error) {
      // It has not begun, and its text has another name by now.
      if (sent === query && own.isPool && isStalePlan(error)) continue;
      if (error instanceof Error) Error.captureStackTrace(error, run);
      throw error;
    }
  }
}

function send<T>(own: Executor, query: Query, read: (result: pg.QueryResult) => T): Promise<T> {
  own.tell?.(query.text, query.values);
  const span = tracer?.beginStatement(query.text);
  return new Promise((resolve, reject) =>
    own.take((noConnection, client, done) => {
      if (!client) {
        span?.end(nameFailure(noConnection));
        return reject(noConnection);
      }
      const { name, text, values } = query;
      const sent =
        name === undefined ? { text } : { name: own.isShared ? undefined : name, text, values: values as unknown[] };
      client.ask(sent, own.answerMs, (error, result) => {
        const failure = error ? toStatementError(error, client, own) : client.commitDoubt;
        done();
        if (span) span.end(failure ? nameFailure(failure) : undefined);
        if (failure) reject(failure);
        else resolve(read(result));
      });
    }),
  );
}

/** A server that answers ends a statement by itself; one that says nothing for so much longer is gone. */
const graceMs = 5000;
export const answerWithin = ({ statement_timeout: ms }: Limits): number => (ms === 0 ? 0 : ms + graceMs);

/** Sets what a transaction, or the connection at hand, may take from now on. */
export async function setLimits(db: Db, limits: Limits, span: "transaction" | "connection"): Promise<void> {
  db[executor].answerMs = answerWithin(limits);
  await db.send`
    select set_config(name, value, ${span === "transaction"})
    from unnest(${Object.keys(limits)}::text[], ${Object.values(limits).map(String)}::text[]) as wanted (name, value)`;
}

/** What a statement failed with; sees to what it says of the connection, or of what was prepared. */
export function toStatementError(error: Error, client: DatabaseClient, { mayWrite }: Executor): Error {
  // Whoever comes again may be led to another server: behind one name or one proxy there may be several.
  const failure =
    mayWrite && isReadOnly(error)
      ? new ConnectionLoss("CONNECTION_READ_ONLY", "the database takes no writes", error)
      : toFailure(error);
  if (isStalePlan(failure)) forgetNames();
  client.isDiscarded ||= isConnectionLoss(failure);
  return failure;
}

/** Waits for a connection, for more than one statement. */
export const leaseClient = (own: Executor): Promise<Lease> =>
  new Promise((resolve, reject) =>
    own.takeAlone((error, client, done) => (client ? resolve({ client, done }) : reject(error))),
  );

const over = (): ConnectionLoss => new ConnectionLoss("CONNECTION_CLOSED", "the transaction or session is over");

/**
 * The statements of one connection, in the order in which they came, until it is closed. Each leaves behind the one before it
 * without waiting for its answer. Whoever takes the connection alone waits for all before it, and all after it wait.
 */
export function openPipeline(client: DatabaseClient) {
  const waiting: { readonly taker: ClientCallback; readonly alone: boolean }[] = [];
  let underWay = 0;
  let isAlone = false;
  let isClosed = false;
  const start = (taker: ClientCallback, alone: boolean): void => {
    underWay++;
    isAlone = alone;
    client.pipeline = !alone;
    let isDone = false;
    taker(undefined, client, () => {
      if (isDone) return;
      isDone = true;
      underWay--;
      if (alone) isAlone = false;
      goOn();
    });
  };
  const mayStart = (alone: boolean): boolean => !isAlone && (!alone || underWay === 0);
  const goOn = (): void => {
    for (let first = waiting[0]; first && mayStart(first.alone); [first] = waiting) {
      waiting.shift();
      start(first.taker, first.alone);
    }
  };
  const join = (taker: ClientCallback, alone: boolean): void => {
    if (isClosed) return taker(over(), undefined, () => {});
    if (waiting.length === 0 && mayStart(alone)) return start(taker, alone);
    waiting.push({ taker, alone });
  };
  return {
    take: (taker: ClientCallback): void => join(taker, false),
    takeAlone: (taker: ClientCallback): void => join(taker, true),
    isBusy: (): boolean => underWay > 0,
    close: (): void => {
      isClosed = true;
      client.pipeline = false;
      for (const { taker } of waiting.splice(0)) taker(over(), undefined, () => {});
    },
  };
}
