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
 * Every function that runs SQL takes a pool, transaction or session as its first argument. As a template tag it runs a
 * statement: db<{ id: number }[]>`select id from people where name = ${name}`.
 */
export interface Db {
  <Rows extends readonly object[] = Row[]>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<Rows>;
  <Rows extends readonly object[] = Row[]>(fragment: Fragment): Promise<Rows>;
  query<R extends object = Row>(text: string, values: readonly Value[]): Promise<R[]>;
  first<R extends object = Row>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<R | undefined>;
  value<T>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<T>;
  values<T>(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<T[]>;
  count(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<number>;
  /**
   * In a transaction it resolves once the statement is sent, and a failure fails the transaction; elsewhere it waits
   * for the answer.
   */
  send(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<void>;
  /** Runs one or more statements without parameters and returns the rows of the last. */
  script<R extends object = Row>(text: string): Promise<R[]>;
  readonly keys: Keyring;
  readonly [executor]: Executor;
}

export const executor = Symbol("line");

export interface Executor {
  readonly take: (taker: ClientCallback) => void;
  /** Cursors and COPY interact with the server and need the connection alone. */
  readonly takeAlone: (taker: ClientCallback) => void;
  readonly fail?: ((failure: unknown) => void) | undefined;
  readonly committed?: (() => void)[] | undefined;
  /** Statements of a pool are independent, so one that failed before it started can be retried. */
  readonly isPool: boolean;
  /** In a read-only transaction this is false, because a refused write says nothing about the server. */
  readonly mayWrite: boolean;
  /** Behind a pooler, a session lasts one transaction and prepared names are unusable. */
  readonly isShared: boolean;
  /**
   * These statements set limits that the session does not keep; the text starts with a semicolon and follows every
   * `begin`.
   */
  readonly afterBegin: string;
  /** The server counts as silent after this many ms without an answer; 0 means never. */
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

const toRows = (result: pg.QueryResult | pg.QueryResult[]): unknown[] =>
  (Array.isArray(result) ? result.at(-1)?.rows : result.rows) ?? [];

export async function sendUnawaited(own: Executor, query: Query): Promise<void> {
  const sent = run(own, query, toRows);
  if (own.fail) sent.catch(own.fail);
  else await sent;
}

export async function run<T>(own: Executor, query: Query, read: (result: pg.QueryResult) => T): Promise<T> {
  for (let sent = query; ; sent = prepare(query.text, query.values)) {
    try {
      return await send(own, sent, read);
    } catch (error) {
      // The statement has not run, and its text has a new prepared name by now.
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

/** The server counts as gone this long after PostgreSQL's own timeout. */
const graceMs = 5000;
export const answerWithin = ({ statement_timeout: ms }: Limits): number => (ms === 0 ? 0 : ms + graceMs);

export async function setLimits(db: Db, limits: Limits, span: "transaction" | "connection"): Promise<void> {
  db[executor].answerMs = answerWithin(limits);
  await db.send`
    select set_config(name, value, ${span === "transaction"})
    from unnest(${Object.keys(limits)}::text[], ${Object.values(limits).map(String)}::text[]) as wanted (name, value)`;
}

export function toStatementError(error: Error, client: DatabaseClient, { mayWrite }: Executor): Error {
  // A retry may reach another server, since a host name or proxy can lead to several.
  const failure =
    mayWrite && isReadOnly(error)
      ? new ConnectionLoss("CONNECTION_READ_ONLY", "the database takes no writes", error)
      : toFailure(error);
  if (isStalePlan(failure)) forgetNames();
  client.isDiscarded ||= isConnectionLoss(failure);
  return failure;
}

export const leaseClient = (own: Executor): Promise<Lease> =>
  new Promise((resolve, reject) =>
    own.takeAlone((error, client, done) => (client ? resolve({ client, done }) : reject(error))),
  );

const over = (): ConnectionLoss => new ConnectionLoss("CONNECTION_CLOSED", "the transaction or session has ended");

/**
 * Sends statements in order without awaiting answers. An exclusive user waits for all before it, and all after it wait.
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
