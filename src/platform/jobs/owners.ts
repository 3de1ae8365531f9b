import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type Connection, openConnection } from "#platform/database/index.ts";

// A killed process leaves its jobs locked, and graphile-worker releases them only after four hours. Therefore every
// runner holds a session-level advisory lock on its worker id, and unlocks the jobs of workers whose advisory lock is
// free. PostgreSQL releases the advisory lock however the process ends.

const checkMs = 2_000;
// Jobs locked within the last `graceSeconds` are left alone, because a runner may take its first job shortly before it
// takes its advisory lock.
const graceSeconds = 3;
// A runner has no advisory lock while it reconnects, so it counts as dead only if so many checks in a row miss the lock.
const deadAfterChecks = 3;
const answerMs = 5_000;

const keyOf = (name: string): string => `hashtextextended('owner of jobs ' || ${name}, 0)`;

export function watchJobOwners(url: string, owner: string, log: FastifyBaseLogger): { stop(): Promise<void> } {
  let session: Connection | undefined;
  let checking: Promise<void> | undefined;
  let missed: ReadonlyMap<string, number> = new Map();
  const drop = async () => {
    const dropped = session;
    session = undefined;
    await dropped?.end();
  };
  const check = async (mayReconnect = true): Promise<void> => {
    try {
      if (!session) {
        session = await openConnection(url, { answerMs });
        await session.query(`select pg_advisory_lock(${keyOf("$1::text")})`, [owner]);
      }
      // The query tests whether a worker's lock is free by taking it, and PostgreSQL releases the lock when the
      // statement ends.
      const dead = [...missed].filter(([, checks]) => checks + 1 >= deadAfterChecks).map(([name]) => name);
      const { rows } = await session.query<{ name: string }>(
        `with taken as materialized (
           select distinct locked_by as name from graphile_worker.jobs
           where locked_by <> $1::text and locked_at < now() - make_interval(secs => ${graceSeconds}))
         select name, (select graphile_worker.force_unlock_workers(array[name]) where name = any($2::text[]))
         from taken where pg_try_advisory_xact_lock(${keyOf("name")})`,
        [owner, dead],
      );
      missed = new Map(rows.map(({ name }) => [name, (missed.get(name) ?? 0) + 1]));
      const owners = dead.filter((name) => missed.has(name)).length;
      if (owners > 0) log.warn({ owners }, "unlocked the jobs of dead processes");
    } catch (error) {
      log.warn(toLoggable(error), "could not check for jobs of dead processes");
      missed = new Map();
      const wasOpen = session !== undefined;
      await drop();
      if (wasOpen && mayReconnect) await check(false);
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
