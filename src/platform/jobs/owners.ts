import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type Connection, openConnection } from "#platform/database/index.ts";

// A killed process leaves its jobs locked, and graphile-worker releases them only after four hours. Therefore every
// runner holds a session-level advisory lock on its worker id, and unlocks the jobs of workers whose advisory lock is
// free. PostgreSQL releases the advisory lock however the process ends.

const checkMs = 2_000;
// Jobs locked within the last `graceSeconds` are left alone, because a runner may take its first job shortly before it
// takes its advisory lock, and has no advisory lock while it reconnects.
const graceSeconds = 3;
const answerMs = 5_000;

const keyOf = (name: string): string => `hashtextextended('owner of jobs ' || ${name}, 0)`;

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
      // The query tests whether a worker's lock is free by taking it, and PostgreSQL releases the lock when the
      // statement ends.
      const { rows } = await session.query<{ owners: number }>(
        `with taken as materialized (
           select distinct locked_by from graphile_worker.jobs
           where locked_by <> $1::text and locked_at < now() - make_interval(secs => ${graceSeconds}))
         select graphile_worker.force_unlock_workers(array_agg(locked_by)), count(*)::int as owners
         from taken where pg_try_advisory_xact_lock(${keyOf("locked_by")})`,
        [owner],
      );
      const owners = rows[0]?.owners ?? 0;
      if (owners > 0) log.warn({ owners }, "unlocked the jobs of dead processes");
    } catch (error) {
      log.warn(toLoggable(error), "could not check for jobs of dead processes");
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
