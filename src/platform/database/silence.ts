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

/** Where new connections lead, and whether the server is at work for one of those that are silent. */
interface Work {
  readonly url: string;
  readonly isBusy: (client: DatabaseClient) => boolean;
}
type FindWork = (silent: readonly DatabaseClient[]) => Promise<Work>;

/** Looks after the connections now and then; returns how to stop. Those without a server at the other end are cut. */
export function watchForSilence(
  clients: ReadonlySet<DatabaseClient>,
  findWork: FindWork,
  patienceMs: number,
): () => void {
  let before = new Map<DatabaseClient, string>();
  let asking: Promise<void> | undefined;
  const look = (): void => {
    const waiting = [...clients].filter((client) => client.isWaiting);
    const silent = waiting.filter((client) => before.get(client) === client.progress);
    before = new Map(waiting.map((client) => [client, client.progress]));
    if (silent.length > 0)
      asking ??= ask({ silent, clients, findWork, patienceMs }).finally(() => (asking = undefined));
  };
  const timer = setInterval(look, patienceMs).unref();
  return () => clearInterval(timer);
}

interface Question {
  readonly silent: readonly DatabaseClient[];
  readonly clients: ReadonlySet<DatabaseClient>;
  readonly findWork: FindWork;
  readonly patienceMs: number;
}

async function ask({ silent, clients, findWork, patienceMs }: Question): Promise<void> {
  const places = new Map([...clients].map((client) => [client, client.progress]));
  const stands = (client: DatabaseClient): boolean => client.progress === places.get(client);
  const isLost = (client: DatabaseClient): boolean => silent.includes(client) && client.isWaiting && stands(client);
  try {
    const { url, isBusy } = await findWork(silent);
    // Whoever had just ended may have said so on its way to us.
    await delay(patienceMs / 10);
    for (const client of clients)
      // Where the others are nobody would let us in any more: another host did.
      if (client.url !== url || (isLost(client) && !isBusy(client))) client.cut(silence());
  } catch (error) {
    // A server that refuses is alive, such as one whose connections are all taken; so is one that talks to others.
    if (error instanceof pg.DatabaseError || ![...clients].every(stands)) return;
    for (const client of clients) client.cut(silence());
  }
}

const silence = (): ConnectionLoss => new ConnectionLoss("CONNECTION_SILENT", "the database does not answer");

/** The sessions at work. One that waits for us while we wait for it, or is not there, will never answer. */
export const askServer =
  (connect: Connect): FindWork =>
  async (silent) => {
    const probe = await connect();
    try {
      const { rows } = await probe.query<{ pid: number }>(
        "select pid from pg_stat_activity where pid = any($1::int[]) and wait_event_type is distinct from 'Client'",
        [silent.map(({ processID }) => processID)],
      );
      const busy = new Set(rows.map(({ pid }) => pid));
      return { url: probe.url, isBusy: ({ processID }) => busy.has(processID) };
    } finally {
      void probe.close();
    }
  };

/**
 * A pooler does not say which session works for whom, and lets who comes last wait for the others: while any session of
 * that name does something, all may be served; when none does, nobody is.
 */
export const askPooler =
  (connect: Connect, connectDirect: Connect, name: string): FindWork =>
  async () => {
    const probes = await Promise.all([connect(), connectDirect()]);
    try {
      const { rows } = await probes[1].query<{ some: boolean }>(
        `select exists (select from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'
           and application_name = $1 and state is distinct from 'idle') as some`,
        [name],
      );
      return { url: probes[0].url, isBusy: () => rows[0]?.some !== false };
    } finally {
      for (const probe of probes) void probe.close();
    }
  };
