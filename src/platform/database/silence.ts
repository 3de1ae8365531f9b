import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { DatabaseClient } from "./client.ts";
import { ConnectionLoss } from "./failures.ts";

// A server that was cut off from the network, or stands still, closes nothing: whoever waits for its answer would wait
// for a quarter of an hour (as long as Linux sends again), or for ever. PostgreSQL's own limits of time are no help, since
// it is the server that keeps them. So whoever has waited a while without a byte asks over another connection
// whether the server is at work for them.

/**
 * How long nothing may be heard before somebody asks, and how long the answer may take: a server that is gone is noticed
 * within three times that.
 */
export const usualPatienceMs = 5000;

type Connect = () => Promise<DatabaseClient>;

/** Looks after the connections now and then; returns how to stop. Those without a server at the other end are cut. */
export function watchForSilence(
  clients: ReadonlySet<DatabaseClient>,
  connect: Connect,
  patienceMs: number,
): () => void {
  let before = new Map<DatabaseClient, string>();
  let asking: Promise<void> | undefined;
  const look = (): void => {
    const waiting = [...clients].filter((client) => client.isWaiting);
    const silent = waiting.filter((client) => before.get(client) === client.progress);
    before = new Map(waiting.map((client) => [client, client.progress]));
    if (silent.length > 0) asking ??= ask({ silent, clients, connect, patienceMs }).finally(() => (asking = undefined));
  };
  const timer = setInterval(look, patienceMs).unref();
  return () => clearInterval(timer);
}

interface Question {
  readonly silent: readonly DatabaseClient[];
  readonly clients: ReadonlySet<DatabaseClient>;
  readonly connect: Connect;
  readonly patienceMs: number;
}

async function ask({ silent, clients, connect, patienceMs }: Question): Promise<void> {
  const places = new Map([...clients].map((client) => [client, client.progress]));
  const stands = (client: DatabaseClient): boolean => client.progress === places.get(client);
  const isLost = (client: DatabaseClient): boolean => silent.includes(client) && client.isWaiting && stands(client);
  try {
    const { url, busy } = await listBusy(silent, connect);
    // Whoever had just ended may have said so on its way to us.
    await delay(patienceMs / 10);
    for (const client of clients)
      // Where the others are nobody would let us in any more: another host did.
      if (client.url !== url || (isLost(client) && !busy.has(client.processID))) client.cut(silence());
  } catch (error) {
    // A server that refuses is alive, such as one whose connections are all taken; so is one that talks to others.
    if (error instanceof pg.DatabaseError || ![...clients].every(stands)) return;
    for (const client of clients) client.cut(silence());
  }
}

const silence = (): ConnectionLoss => new ConnectionLoss("CONNECTION_SILENT", "the database does not answer");

/** The sessions at work. One that waits for us while we wait for it, or is not there, will never answer. */
async function listBusy(
  silent: readonly DatabaseClient[],
  connect: Connect,
): Promise<{ url: string; busy: ReadonlySet<number> }> {
  const probe = await connect();
  try {
    const { rows } = await probe.query<{ pid: number }>(
      "select pid from pg_stat_activity where pid = any($1::int[]) and wait_event_type is distinct from 'Client'",
      [silent.map(({ processID }) => processID)],
    );
    return { url: probe.url, busy: new Set(rows.map(({ pid }) => pid)) };
  } finally {
    void probe.close();
  }
}
