import { setTimeout as delay } from "node:timers/promises";
import { type Db, executor, type Row, run, sendUnawaited, setLimits } from "./db.ts";
import { isRepeatable } from "./failures.ts";
import { longLimits } from "./limits.ts";
import { type Pool, takeSession } from "./pool.ts";
import type { Fragment } from "./sql.ts";

const mostAttempts = 3;

/**
 * Returns the result of `work` after the commit. A deadlock or another repeatable failure is retried twice, so `work`
 * may run three times.
 */
export async function inTransaction<T>(pool: Pool, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(pool, "begin", work);
    } catch (error) {
      if (attempt === mostAttempts || !isRepeatable(error)) throw error;
      // The delay lets the other transaction proceed; an immediate retry would often take the same locks first and
      // deadlock again.
      await delay(10 + Math.random() * 20);
    }
  }
}

export const inLongTransaction = <T>(pool: Pool, work: (tx: Db) => Promise<T>): Promise<T> =>
  inTransaction(pool, async (tx) => {
    await setLimits(tx, longLimits, "transaction");
    return work(tx);
  });

export const inSnapshot = <T>(pool: Pool, work: (tx: Db) => Promise<T>): Promise<T> => transact(pool, snapshot, work);

export async function openSnapshot(pool: Pool): Promise<{ readonly db: Db; readonly close: () => Promise<void> }> {
  const session = await takeSession(pool, { mayWrite: false });
  const close = async (): Promise<void> => {
    await session.script("commit").catch(() => undefined);
    session.release();
  };
  try {
    await session.script(snapshot + session[executor].afterBegin);
    return { db: session, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Calls `tell` with the statement's rows after the commit. In a transaction the statement is not awaited, and its
 * failure fails the transaction.
 */
export async function sendAndNotify(db: Db, statement: Fragment, tell: (rows: readonly Row[]) => void): Promise<void> {
  const { fail, committed } = db[executor];
  const sent = db(statement);
  if (!fail || !committed) return tell(await sent);
  sent.catch(fail);
  committed.push(() => void sent.then(tell));
}

const snapshot = "begin isolation level repeatable read read only";

/** The begin is sent together with the first statement, and the commit together with unawaited statements. */
async function transact<T>(pool: Pool, begin: string, work: (tx: Db) => Promise<T>): Promise<T> {
  const failures: unknown[] = [];
  const committed: (() => void)[] = [];
  const mayWrite = begin !== snapshot;
  const session = await takeSession(pool, { mayWrite, fail: (failure) => failures.push(failure), committed });
  try {
    await sendUnawaited(session[executor], { text: begin + session[executor].afterBegin, values: [] });
    const value = await work(session);
    const command = await run(session[executor], { text: "commit", values: [] }, (result) => result.command);
    // After a failed statement, PostgreSQL answers a COMMIT with ROLLBACK instead of an error.
    if (command !== "COMMIT" || failures.length > 0)
      throw new Error("the transaction was rolled back because a statement in it failed");
    for (const tell of committed) tell();
    return value;
  } catch (error) {
    await session.script("rollback").catch(() => undefined);
    // By now all statements have finished, so `failures` starts with the failure that caused the others.
    throw failures[0] ?? error;
  } finally {
    session.release();
  }
}
