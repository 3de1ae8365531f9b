import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isReady, openEnding, type RunningServer, startServerProcess } from "#test/crash/server.ts";
import type { Observation } from "#test/faults/load.ts";
import {
  awaitBackgroundWork,
  backMs,
  judge,
  type Kept,
  openScene,
  relaySettings,
  type Scene,
} from "#test/faults/scene.ts";
import { until } from "#test/until.ts";
import type { Cluster } from "./cluster.ts";
import type { Fault } from "./faults.ts";

/** What servers are told of the database. */
export interface Way {
  readonly name: string;
  readonly settings: { readonly DATABASE_URL: string; readonly DATABASE_DIRECT_URL?: string };
}

/** What came of one fault. */
export interface Outcome extends Kept {
  readonly way: string;
  readonly fault: string;
  readonly seen: Observation;
  /** From the fault until both servers say that they are ready, for good. */
  readonly readyMs: number;
  /** From the fault until one leads and two follow again. */
  readonly wholeMs: number;
}

export interface RunOptions {
  readonly cluster: Cluster;
  readonly dataDir: string;
  readonly way: Way;
  readonly faults: readonly Fault[];
  readonly say: (outcome: Outcome) => void;
}

const calmMs = 3000;
const wholeMostMs = 180_000;

/** Two servers under load, and one fault after the other. @throws when what must come back does not. */
export async function run({ cluster, dataDir, way, faults, say }: RunOptions): Promise<void> {
  await using ending = openEnding();
  await mkdir(dataDir);
  const servers: RunningServer[] = [];
  for (let count = 0; count < 2; count++) {
    const settings = { ...relaySettings, ...way.settings };
    const server = await startServerProcess(dataDir, settings, ["reporting", "push-relay", "disease-command"]);
    servers.push(server);
    ending.after(() => server.kill());
  }
  const addresses = servers.map((server) => () => server.address);
  const { DATABASE_URL, DATABASE_DIRECT_URL: url = DATABASE_URL } = way.settings;
  const scene = await openScene(ending, { servers: addresses, url });
  for (const fault of faults)
    say({ way: way.name, fault: fault.name, ...(await play(fault, cluster, servers, scene)) });
}

async function play(fault: Fault, cluster: Cluster, servers: readonly RunningServer[], scene: Scene) {
  await cluster.awaitWhole(wholeMostMs);
  await delay(calmMs);
  const leader = (await cluster.findLeader()) ?? assert.fail("nobody leads");
  scene.load.observe();
  const startedMs = performance.now();
  const since = () => performance.now() - startedMs;
  const readiness = watchReadiness(servers, since);
  await fault.strike(cluster, leader);
  const isAnother = async () => ![undefined, leader].includes(await cluster.findLeader());
  await until("another leads", isAnother, { withinMs: wholeMostMs, everyMs: 100 });
  await fault.heal?.(cluster, leader);
  await cluster.awaitWhole(wholeMostMs);
  const wholeMs = since();
  const readyMs = await readiness.end();
  await awaitBackgroundWork(scene.pool, servers);
  await delay(calmMs);
  const seen = scene.load.observed();
  return { seen, ...(await judge(scene)), readyMs, wholeMs };
}

/** Asks until it is ended, and then until all are ready; when they were not for the last time, in ms of the fault. */
function watchReadiness(servers: readonly RunningServer[], since: () => number): { end(): Promise<number> } {
  let isOver = false;
  let lastMs = 0;
  const look = async (): Promise<boolean> => {
    const areReady = (await Promise.all(servers.map(({ address }) => isReady(address)))).every(Boolean);
    if (!areReady) lastMs = since();
    return areReady && isOver;
  };
  const watching = until("the servers are ready", look, { withinMs: wholeMostMs + backMs, everyMs: 100 });
  watching.catch(() => undefined);
  return {
    async end() {
      isOver = true;
      await watching;
      return lastMs;
    },
  };
}
