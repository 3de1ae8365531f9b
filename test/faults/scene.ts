import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { isConnectionLoss, openPool, type Pool } from "#platform/database/index.ts";
import type { RunningServer } from "#test/crash/server.ts";
import type { Closing } from "#test/embedded-postgres/server.ts";
import { register } from "#test/relay/feed.ts";
import { type Push, startReceiver } from "#test/relay/receiver.ts";
import { until } from "#test/until.ts";
import { type Load, type Observation, startLoad } from "./load.ts";

export const relaySettings = {
  PUSH_ALLOWED_NETWORKS: "127.0.0.1/32",
  PUSH_RETRY_SECONDS: "0.5,1,2,2,2,2",
  PUSH_TIMEOUT_SECONDS: "2",
  PUSH_LEASE_SECONDS: "5",
};

export const backMs = 60_000;

export interface Scene {
  readonly load: Load;
  readonly pool: Pool;
  readonly book: EventBook;
}

/** Each figure must be zero, except for repeated events. */
export interface Kept {
  readonly lost: number;
  readonly doubled: number;
  readonly missing: number;
  readonly outOfOrder: number;
  readonly repeated: number;
}

export interface SceneOptions {
  readonly servers: readonly (() => string)[];
  readonly url: string;
}

export async function openScene(ending: Closing, { servers, url }: SceneOptions): Promise<Scene> {
  const book = openEventBook();
  const receiver = await startReceiver(book.arrive);
  ending.after(() => receiver.stop());
  const feed = await register(servers[0]?.() ?? "", [{ name: "receiver", url: receiver.url }]);
  const pool = openPool(url, { connections: 2 });
  ending.after(() => pool.end({ timeoutMs: 1000 }));
  const load = startLoad(servers, feed);
  ending.after(() => load.stop(1000));
  return { load, pool, book };
}

export async function judge({ pool, load, book }: Scene): Promise<Kept> {
  const { reports, events } = load.ledger;
  const wanted = [...events];
  const countMissing = () => wanted.reduce((sum, [subject, n]) => sum + Math.max(0, n - book.last(subject)), 0);
  await until("all events arrive", () => countMissing() === 0, { withinMs: backMs }).catch(() => undefined);
  const [row] = await pool<{ lost: number; doubled: number }[]>`
    select (select count(*) from unnest(${[...reports.values()]}::bigint[], ${[...reports.keys()]}::text[]) as said (id, name)
        where not exists (select from reporting.report where report.id = said.id and report.name = said.name)) as lost,
      (select count(*) from (select from reporting.report group by name having count(*) > 1) as twice) as doubled`;
  return { ...(row ?? assert.fail()), missing: countMissing(), ...book.counts() };
}

/** Without a database the server may only answer that clients must retry. */
export const unavailable = ["503 10000", "not taken"];

export function assertOnly({ failures }: Observation, allowed: readonly string[], said = ""): void {
  const others = Object.keys(failures).filter((failure) => !allowed.includes(failure));
  assert.deepEqual(others, [], `${said}${JSON.stringify(failures)}`);
}

export const nothingWrong = { lost: 0, doubled: 0, missing: 0, outOfOrder: 0 };

export type EventBook = ReturnType<typeof openEventBook>;

/** Events may be repeated but must not be skipped: a new event about a person must be the next one after the last. */
function openEventBook() {
  const last = new Map<string, number>();
  let [outOfOrder, repeated] = [0, 0];
  return {
    arrive(push: Push): 200 {
      const { card_number: subject, n } = push.json.data as { card_number: string; n: number };
      const before = last.get(subject) ?? 0;
      if (n <= before) repeated++;
      else {
        if (n !== before + 1) outOfOrder++;
        last.set(subject, n);
      }
      push.forget();
      return 200;
    },
    last: (subject: string) => last.get(subject) ?? 0,
    counts: () => ({ outOfOrder, repeated }),
  };
}

export async function awaitBackgroundWork(pool: Pool, servers: readonly RunningServer[]): Promise<void> {
  // The test's own connections may still lead to the former primary, so their loss is ignored.
  const unlessLost = (error: unknown): undefined => {
    if (!isConnectionLoss(error)) throw error;
  };
  const within = { withinMs: backMs, everyMs: 100 };
  const add = () => pool`select graphile_worker.add_job('platform-housekeeping')`.catch(unlessLost);
  await until("a job is added", add, within);
  const find = () =>
    pool`select from graphile_worker.jobs where task_identifier = 'platform-housekeeping'`.catch(unlessLost);
  await until("the job is done", async () => (await find())?.length === 0, within);
  await Promise.all(servers.map(({ address }) => awaitNews(pool, address)));
}

/**
 * Waits until an event stream delivers a change. The server ends a stream when the server loses its database listener,
 * so an ended stream is opened again.
 */
async function awaitNews(pool: Pool, address: string): Promise<void> {
  const telling = setInterval(() => void pool`select pg_notify('disease_command', 'toilet')`.catch(() => {}), 500);
  try {
    const late = AbortSignal.timeout(backMs);
    for (;;) {
      const { body } = await fetch(`${address}/disease-command/changes`, { signal: late });
      for await (const piece of body ?? []) if (Buffer.from(piece).includes("data:")) return;
      await delay(20);
    }
  } finally {
    clearInterval(telling);
  }
}
