import { setTimeout as delay } from "node:timers/promises";
import { type Db, executor, type Row, run, sendUnawaited, setLimits } from "./db.ts";
import { isRepeatable } from "./failures.ts";
import { longLimits } from "./limits.ts";
import { type Pool, takeSession } from "./pool.ts";
import type { Fragment } from "./sql.ts";

const mostAttempts = 3;

/**
 * Runs `work` in one transaction and returns its value after the commit. A deadlock is tried again twice, so `work`
 * must do nothing but SQL. No other handle than `tx` may be used inside, and `tx` not outside.
 */
export async function inTransaction<T>(pool: Pool, work: (tx: Db) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(pool, "begin", work);
    } catch (error) {
      if (attempt === mostAttempts || !isRepeatable(error)) throw error;
      // Who waited for it goes first: begun again at once, it would often have its locks before the other is awake.
      await delay(10 + Math.random() * 20);
    }
  }
}

/** As inTransaction, for work that takes as long as an import does. */
export const inLongTransaction = <T>(pool: Pool, work: (tx: Db) => Promise<T>): Promise<T> =>
  inTransaction(pool, async (tx) => {
    await setLimits(tx, longLimits, "transaction");
    return work(tx);
  });

/** Runs reads that see one state of the database, whatever is committed between them. */
export const inSnapshot = <T>(pool: Pool, work: (tx: Db) => Promise<T>): Promise<T> => transact(pool, snapshot, work);

/** A snapshot for a reader who takes their time; it must be closed. */
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
 * Runs a statement whose rows are told once they are committed. In a transaction nobody waits for its answer, and its failure
 * is the transaction's; elsewhere it is told at once.
 */
export async function sendAndNotify(db: Db, statement: Fragment, tell: (rows: readonly Row[]) => void): Promise<void> {
  const { fail, committed } = db[executor];
  const sent = db(statement);
  if (!fail || !committed) return tell(await sent);
  sent.catch(fail);
  committed.push(() => void sent.then(tell));
}

const snapshot = "begin isolation level repeatable read read only";

/** The first statement leaves with the begin, and the commit with what nobody waited for. */
async function transact<T>(pool: Pool, begin: string, work: (tx: Db) => Promise<T>): Promise<T> {
  const failures: unknown[] = [];
  const committed: (() => void)[] = [];
  const mayWrite = begin !== snapshot;
  const session = await takeSession(pool, { mayWrite, fail: (failure) => failures.push(failure), committed });
  try {
    await sendUnawaited(session[executor], { text: begin + session[executor].afterBegin, values: [] });
    const value = await work(session);
    const command = await run(session[executor], { text: "commit", values: [] }, (result) => result.command);
    // PostgreSQL does not call it a failure: it undoes what a statement has failed in.
    if (command !== "COMMIT" || failures.length > 0)
      throw new Error("the transaction was undone, since a statement in it had failed");
    for (const tell of committed) tell();
    return value;
  } catch (error) {
    await session.script("rollback").catch(() => undefined);
    // By now all have answered, and the first to fail is why the others did.
    throw failures[0] ?? error;
  } finally {
    session.release();
  }
}
