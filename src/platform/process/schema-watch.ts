import { setTimeout as delay } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import { type Pool, readSchemaState } from "#platform/database/index.ts";

// The schema is polled, because a query takes only about 100 µs, while LISTEN would need a connection per process.
const everyMs = 2000;

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
      // A failure to read the schema is ignored, because other parts report outages.
      const state = signal.aborted ? undefined : await readSchemaState(pool).catch(() => undefined);
      if (!state) continue;
      const { newer, mayRun } = state;
      if (!mayRun) {
        const line =
          "the database is too new for this version, which has stopped serving requests; start a newer version";
        log.error({ had: newer.at(-1) }, line);
        await onTooNew().catch((error: unknown) =>
          log.error(toLoggable(error), "the running jobs and services could not be stopped"),
        );
        return;
      }
      if (newer.length > known)
        log.warn({ had: newer.at(-1) }, "a newer version has upgraded the database; this version continues to run");
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
