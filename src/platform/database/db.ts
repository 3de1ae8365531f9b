import type pg from "pg";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { nameFailure, tracer } from "#platform/tracing/tracer.ts";
import type { DatabaseClient } from "./client.ts";
import type { ClientCallback } from "./client-pool.ts";
import { ConnectionLoss, isConnectionLoss, isReadOnly, isStalePlan, toFailure } from "./failures.ts";
import type { Limits } from "./limits.ts";
import { forgetNames, Fragment, type Part, prepare, type Query, toStatement } from "./sql.ts";
import { toParameter, type Value } from "./values.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- as a query is written at the console: the columns are what they are
export type Row = Record<string, any>;

/**
 * A pool, transaction or session; the first argument of every function that runs SQL. As a template tag it runs a
 * statement: db<{ id: number }[]>`select id from people where name = ${name}`.
 */
export interface Db {
  <Rows extends readonly object[] = Row[]>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<Rows>;
  <Rows extends readonly object[] = Row[]>(fragment: Fragment): Promise<Rows>;
  /** Runs SQL text with $1, $2 … for the values. */
  query<R extends object = Row>(text: string, values: readonly Value[]): Promise<R[]>;
  /** The first row, if any. */
  first<R extends object = Row>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<R | undefined>;
  /** The single column of the first row, such as a count or new id. */
  value<T>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<T>;
  /** The single column of each row. */
  values<T>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<T[]>;
  /** The number of affected or found rows: db.count`delete from people`. */
  count(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<number>;
  /**
   * Runs a statement without awaiting its answer. In a transaction it resolves once sent, and its failure fails the
   * transaction; elsewhere it waits.
   */
  send(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<void>;
  /** Runs one or more statements without parameters; returns the rows of the last. */
  script<R extends object = Row>(text: string): Promise<R[]>;
  /** Encrypts and decrypts sealed columns. */
  readonly keys: Keyring;
  /** For this folder only. */
  readonly [executor]: Executor;
}

export const executor = Symbol("line");

export interface Executor {
  readonly take: (taker: ClientCallback) => void;
  /** Takes the connection exclusively, for protocols that interact with the server: cursors and COPY. */
  readonly takeAlone: (taker: ClientCallback) => void;
  /** In a transaction: reports the failure of an unawaited statement. */
  readonly fail?: ((failure: unknown) => void) | undefined;
  /** In a transaction: callbacks after the commit. */
  readonly committed?: (() => void)[] | undefined;
  /** Statements are independent, so one that failed before starting can be retried. */
  readonly isPool: boolean;
  /** False in read-only transactions, where a refused write says nothing about the server. */
  readonly mayWrite: boolean;
  /** Behind a pooler, sessions last one transaction and prepared names are unusable. */
  readonly isShared: boolean;
  /** Limits to set after every `begin`, starting with a semicolon, when the session does not keep them. */
  readonly afterBegin: string;
  /** After this many ms without an answer the server counts as silent; 0 for never. */
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

// A script with several statements yields an array of results.
const toRows = (result: pg.QueryResult | pg.QueryResult[]): unknown[] =>
  (Array.isArray(result) ? result.at(-1)?.rows : result.rows) ?? [];

/** Runs a statement without awaiting it, if its failure is recorded. */
export async function sendUnawaited(own: Executor, query: Query): Promise<void> {
  const sent = run(own, query, toRows);
  if (own.fail) sent.catch(own.fail);
  else await sent;
}

/** Runs a statement; errors have the caller's stack. */
export async function run<T>(own: Executor, query: Query, read: (result: pg.QueryResult) => T): Promise<T> {
  for (let sent = query; ; sent = prepare(query.text, query.values)) {
    try {
      return await send(own, sent, read);
    } catch (error) {
      // The statement has not run, and its text has a new name by now.
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

/** Time beyond PostgreSQL's own timeout after which the server counts as gone. */
const graceMs = 5000;
export const answerWithin = ({ statement_timeout: ms }: Limits): number => (ms === 0 ? 0 : ms + graceMs);

/** Sets the limits of a transaction or connection. */
export async function setLimits(db: Db, limits: Limits, span: "transaction" | "connection"): Promise<void> {
  db[executor].answerMs = answerWithin(limits);
  await db.send`
    select set_config(name, value, ${span === "transaction"})
    from unnest(${Object.keys(limits)}::text[], ${Object.values(limits).map(String)}::text[]) as wanted (name, value)`;
}

/** Maps a driver error, discarding the connection or the prepared statements if necessary. */
export function toStatementError(error: Error, client: DatabaseClient, { mayWrite }: Executor): Error {
  // A retry may reach another server, since a name or proxy can lead to several.
  const failure =
    mayWrite && isReadOnly(error)
      ? new ConnectionLoss("CONNECTION_READ_ONLY", "the database takes no writes", error)
      : toFailure(error);
  if (isStalePlan(failure)) forgetNames();
  client.isDiscarded ||= isConnectionLoss(failure);
  return failure;
}

/** Leases a connection for several statements. */
export const leaseClient = (own: Executor): Promise<Lease> =>
  new Promise((resolve, reject) =>
    own.takeAlone((error, client, done) => (client ? resolve({ client, done }) : reject(error))),
  );

const over = (): ConnectionLoss => new ConnectionLoss("CONNECTION_CLOSED", "the transaction or session has ended");

/**
 * Pipelines the statements of one connection in order. An exclusive user waits for all before it, and all after it
 * wait.
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
