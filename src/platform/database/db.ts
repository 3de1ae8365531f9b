import type pg from "pg";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { nameFailure, tracer } from "#platform/tracing/tracer.ts";
import type { DatabaseClient } from "./client.ts";
import type { ClientCallback } from "./client-pool.ts";
import { ConnectionLoss, isConnectionLoss, isReadOnly, isStalePlan, toFailure } from "./failures.ts";
import type { Limits } from "./limits.ts";
import { forgetNames, Fragment, type Part, prepare, type Query, toStatement } from "./sql.ts";
import { toParameter, type Value } from "./values.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- the type of a column depends on the query
export type Row = Record<string, any>;

/**
 * A pool, transaction or session. Functions that run SQL take a Db, usually as the first argument. Used as a template
 * tag, a Db runs a statement: db<{ id: number }[]>`select id from people where name = ${name}`.
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
   * In a transaction, resolves without waiting for the answer, and a failure of the statement fails the transaction.
   * Elsewhere, waits for the answer.
   */
  send(texts: TemplateStringsArray, ...parts: readonly Part[]): Promise<void>;
  /** Runs one or more statements without parameters and returns the rows of the last statement. */
  script<R extends object = Row>(text: string): Promise<R[]>;
  readonly keys: Keyring;
  readonly [executor]: Executor;
}

export const executor = Symbol("line");

export interface Executor {
  readonly take: (taker: ClientCallback) => void;
  /** Takes a connection that no other statement uses at the same time, as cursors and COPY require. */
  readonly takeAlone: (taker: ClientCallback) => void;
  readonly fail?: ((failure: unknown) => void) | undefined;
  readonly committed?: (() => void)[] | undefined;
  /**
   * The statements of a pool are independent of each other, so a statement that failed before it ran can be retried.
   */
  readonly isPool: boolean;
  /** False in a read-only transaction, where a refused write does not mean that the server is read-only. */
  readonly mayWrite: boolean;
  /** True behind a pooler, where a session lasts one transaction and prepared statements cannot be named. */
  readonly isShared: boolean;
  /**
   * Statements that set limits in every transaction, because the session behind a pooler does not keep them. The text
   * is appended to every `begin`, so it starts with a semicolon. Without a pooler it is empty.
   */
  readonly afterBegin: string;
  /** If the server does not answer within this many ms, the connection counts as lost; 0 means no limit. */
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
      // The statement can be retried, because it has not run; `prepare` gives it a new name.
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

/**
 * PostgreSQL ends a statement at its own timeout. If no answer comes for this much longer, the server counts as gone.
 */
const graceMs = 5000;
export const answerWithin = ({ statement_timeout: ms }: Limits): number => (ms === 0 ? 0 : ms + graceMs);

export async function setLimits(db: Db, limits: Limits, span: "transaction" | "connection"): Promise<void> {
  db[executor].answerMs = answerWithin(limits);
  await db.send`
    select set_config(name, value, ${span === "transaction"})
    from unnest(${Object.keys(limits)}::text[], ${Object.values(limits).map(String)}::text[]) as wanted (name, value)`;
}

export function toStatementError(error: Error, client: DatabaseClient, { mayWrite }: Executor): Error {
  // A read-only server counts as a lost connection, because a retry may reach another server: a host name or proxy can
  // lead to several.
  const failure =
    mayWrite && isReadOnly(error)
      ? new ConnectionLoss("CONNECTION_READ_ONLY", "the database is read-only", error)
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
 * Shares one connection. Statements are sent one after another without awaiting earlier answers. A statement that needs
 * the connection alone waits for all earlier ones, and later statements wait for it.
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
