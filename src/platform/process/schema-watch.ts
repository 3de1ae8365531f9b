import { setTimeout as delay } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type Pool, readSchemaState } from "#platform/database/index.ts";

// A look is a statement of some 100 µs. To be told (LISTEN) would take a connection of its own of every process.
const everyMs = 2000;

/**
 * Looks now and then whether a newer version has changed the database, until it is stopped.
 * @param onTooNew called once, when a newer version has changed the database so that this one must not go on
 */
export function watchSchema(
  pool: Pool,
  { log, onTooNew }: { readonly log: FastifyBaseLogger; readonly onTooNew: () => Promise<void> },
): { readonly stop: () => Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const watch = async (): Promise<void> => {
    let known = 0;
    while (!signal.aborted) {
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      // A database that is not to be had is for others to tell.
      const state = signal.aborted ? undefined : await readSchemaState(pool).catch(() => undefined);
      if (!state) continue;
      const { newer, mayRun } = state;
      if (!mayRun) {
        const line = "the database is too new for this version, which takes nothing more; start a newer one";
        log.error({ had: newer.at(-1) }, line);
        await onTooNew().catch((error: unknown) => log.error(toLoggable(error), "could not finish everything"));
        return;
      }
      if (newer.length > known)
        log.warn({ had: newer.at(-1) }, "a newer version has changed the database; this one goes on beside it");
      known = newer.length;
    }
  };
  const watching = watch();
  return {
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
