import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isConnectionLoss, openPool, type Pool } from "#platform/database/index.ts";
import { type RunningServer, startServerProcess } from "#test/crash/server.ts";
import { awaitEvents, countReports, type EventBook, openEventBook } from "#test/faults/keeping.ts";
import { type Load, type Observation, startLoad } from "#test/faults/load.ts";
import { register } from "#test/relay/feed.ts";
import { startReceiver } from "#test/relay/receiver.ts";
import { type Cluster } from "./cluster.ts";
import type { Fault } from "./faults.ts";

/** What servers are told of the database. */
export interface Way {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** What came of one fault. */
export interface Outcome {
  readonly way: string;
  readonly fault: string;
  readonly seen: Observation;
  /** Of what was acknowledged since the servers began. */
  readonly lost: number;
  readonly doubled: number;
  readonly eventsMissing: number;
  readonly outOfOrder: number;
  readonly repeated: number;
  /** From the fault until both servers say that they are ready, for good. */
  readonly readyMs: number;
  /** From the fault until one leads and two follow again. */
  readonly wholeMs: number;
}

export interface RunOptions {
  readonly cluster: Cluster;
  readonly folder: string;
  readonly database: string;
  readonly way: Way;
  readonly faults: readonly Fault[];
  readonly say: (outcome: Outcome) => void;
}

const services = ["reporting", "push-relay", "disease-command"];
const calmMs = 3000;
const wholeTimeoutMs = 180_000;
const backMs = 60_000;

/** Two servers under load, and one fault after the other. @throws when what must come back does not. */
export async function run(options: RunOptions): Promise<void> {
  const { folder, database, way, faults } = options;
  const dataDir = `${folder}/${database}`;
  await mkdir(dataDir);
  const closers: (() => Promise<unknown>)[] = [];
  try {
    const settings = {
      PUSH_ALLOWED_NETWORKS: "127.0.0.1/32",
      PUSH_RETRY_SECONDS: "0.5,1,2,2,2,2",
      PUSH_TIMEOUT_SECONDS: "2",
      PUSH_LEASE_SECONDS: "5",
      ...way.settings,
    };
    const servers: RunningServer[] = [];
    for (let count = 0; count < 2; count++) {
      const server = await startServerProcess(dataDir, settings, services);
      servers.push(server);
      closers.push(() => server.kill());
    }
    const book = openEventBook();
    const receiver = await startReceiver(book.arrive);
    closers.push(() => receiver.stop());
    const feed = await register(servers[0]?.address ?? "", [{ name: "receiver", url: receiver.url }]);
    const pool = openPool(way.settings["DATABASE_DIRECT_URL"] ?? way.settings["DATABASE_URL"] ?? assert.fail(), {
      connections: 2,
    });
    closers.push(() => pool.end({ timeoutMs: 1000 }));
    const load = startLoad({
      servers: servers.map(
        ({ address }) =>
          () =>
            address,
      ),
      feed,
    });
    closers.push(() => load.stop(1000));
    for (const fault of faults) options.say(await play(fault, { ...options, servers, load, book, pool }));
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

interface Scene extends RunOptions {
  readonly servers: readonly RunningServer[];
  readonly load: Load;
  readonly book: EventBook;
  readonly pool: Pool;
}

async function play(fault: Fault, scene: Scene): Promise<Outcome> {
  const { cluster, servers, load, way } = scene;
  await cluster.awaitWhole(wholeTimeoutMs);
  await delay(calmMs);
  const leader = (await cluster.findLeader()) ?? assert.fail("nobody leads");
  load.observe();
  const startedMs = performance.now();
  const since = () => performance.now() - startedMs;
  const readiness = watchReadiness(servers, since);
  const heal = await fault.strike(cluster, leader);
  await awaitAnotherLeader(cluster, leader);
  await heal?.();
  await cluster.awaitWhole(wholeTimeoutMs);
  const wholeMs = since();
  const readyMs = await readiness.end();
  await awaitBackgroundWork(scene.pool, servers);
  await delay(calmMs);
  const seen = load.observed();
  const kept = await judge(scene);
  return { way: way.name, fault: fault.name, seen, ...kept, readyMs, wholeMs };
}

async function awaitAnotherLeader(cluster: Cluster, before: number): Promise<void> {
  const endMs = performance.now() + wholeTimeoutMs;
  for (;;) {
    const leader = await cluster.findLeader();
    if (leader !== undefined && leader !== before) return;
    assert.ok(performance.now() < endMs, "nobody else leads");
    await delay(100);
  }
}

const isReady = ({ address }: RunningServer): Promise<boolean> =>
  fetch(`${address}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Asks until it is ended, and then until all are ready; when they were not for the last time, in ms of the fault. */
function watchReadiness(servers: readonly RunningServer[], since: () => number): { end(): Promise<number> } {
  let isOver = false;
  let lastMs = 0;
  const watching = (async () => {
    const endMs = since() + wholeTimeoutMs + backMs;
    for (;;) {
      const areReady = (await Promise.all(servers.map(isReady))).every(Boolean);
      if (!areReady) lastMs = since();
      else if (isOver) return lastMs;
      assert.ok(since() < endMs, "the servers are not ready again");
      await delay(100);
    }
  })();
  watching.catch(() => undefined);
  return { end: () => ((isOver = true), watching) };
}

function ignoreLoss(error: unknown): undefined {
  if (!isConnectionLoss(error)) throw error;
}

/** A job is worked off, and what PostgreSQL tells is heard by those who follow each server. */
async function awaitBackgroundWork(pool: Pool, servers: readonly RunningServer[]): Promise<void> {
  const endMs = performance.now() + backMs;
  // Our own connections may still be at the one that led before.
  const add = () => pool`select graphile_worker.add_job('platform-housekeeping')`;
  while ((await add().catch(ignoreLoss)) === undefined) assert.ok(performance.now() < endMs, "no job can be added");
  const countJobs = async () => {
    const [row] = await pool<{ left: number }[]>`
      select count(*) as left from graphile_worker.jobs where task_identifier = 'platform-housekeeping'`;
    return row?.left;
  };
  while ((await countJobs().catch(ignoreLoss)) !== 0) {
    assert.ok(performance.now() < endMs, "the job is not done");
    await delay(100);
  }
  await Promise.all(servers.map((server) => awaitNews(pool, server, endMs)));
}

/** Those who follow begin anew when the server has lost whom it hears, so a stream that ends is opened again. */
async function awaitNews(pool: Pool, { address }: RunningServer, endMs: number): Promise<void> {
  const telling = setInterval(() => void pool`select pg_notify('disease_command', 'toilet')`.catch(() => {}), 500);
  try {
    while (performance.now() < endMs) {
      const signal = AbortSignal.timeout(Math.ceil(endMs - performance.now()));
      const response = await fetch(`${address}/disease-command/changes`, { signal });
      for await (const piece of response.body ?? []) if (Buffer.from(piece).includes("data:")) return;
    }
    assert.fail("nothing is heard");
  } finally {
    clearInterval(telling);
  }
}

async function judge({ pool, load, book }: Scene) {
  const eventsMissing = await awaitEvents(book, load.ledger, backMs);
  return { ...(await countReports(pool, load.ledger)), eventsMissing, ...book.counts() };
}
