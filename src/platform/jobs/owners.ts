import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type Connection, openConnection } from "#platform/database/index.ts";

// A killed process leaves its jobs taken, and the job tables give such jobs up after four hours only. So a runner holds a
// lock for as long as it lives, by the name under which it takes jobs, and frees the jobs of those whose lock is free. The
// lock is the session's: however the process ends, PostgreSQL lets go of it.

const checkMs = 2_000;
// A new runner takes its first job a moment before it has its lock, and one whose connection was cut is without for as long.
const graceSeconds = 3;
const answerMs = 5_000;

const keyOf = (name: string): string => `hashtextextended('owner of jobs ' || ${name}, 0)`;

/** Holds the lock of an owner of jobs, and frees the jobs of dead owners, now and then until it is stopped. */
export function watchJobOwners(url: string, owner: string, log: FastifyBaseLogger): { stop(): Promise<void> } {
  let session: Connection | undefined;
  let checking: Promise<void> | undefined;
  const drop = async () => {
    const dropped = session;
    session = undefined;
    await dropped?.end();
  };
  const check = async () => {
    try {
      if (!session) {
        session = await openConnection(url, { answerMs });
        await session.query(`select pg_advisory_lock(${keyOf("$1::text")})`, [owner]);
      }
      // A lock that is taken to see whether it is free goes with the statement.
      const { rows } = await session.query<{ owners: number }>(
        `with taken as materialized (
           select distinct locked_by from graphile_worker.jobs
           where locked_by <> $1::text and locked_at < now() - make_interval(secs => ${graceSeconds}))
         select graphile_worker.force_unlock_workers(array_agg(locked_by)), count(*)::int as owners
         from taken where pg_try_advisory_xact_lock(${keyOf("locked_by")})`,
        [owner],
      );
      const owners = rows[0]?.owners ?? 0;
      if (owners > 0) log.warn({ owners }, "the jobs of processes that have died are free again");
    } catch (error) {
      log.warn(toLoggable(error), "jobs of dead processes could not be looked for");
      await drop();
    }
  };
  const tick = () => void (checking ??= check().finally(() => (checking = undefined)));
  tick();
  const timer = setInterval(tick, checkMs);
  return {
    async stop() {
      clearInterval(timer);
      await checking;
      await drop();
    },
  };
}
