import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isReady, openEnding, type RunningServer, startServerProcess } from "#test/crash/server.ts";
import { awaitBackgroundWork, backMs, judge, openScene, relaySettings, type Scene } from "#test/faults/scene.ts";
import { until } from "#test/until.ts";
import type { Cluster } from "./cluster.ts";

interface Fault {
  readonly name: string;
  strike(cluster: Cluster, leader: number): Promise<void>;
  heal?(cluster: Cluster, leader: number): Promise<void>;
}

const besideMs = 5000;

export const faultsOfNodes: readonly Fault[] = [
  { name: "switchover by patronictl", strike: (cluster) => cluster.switchover() },
  {
    name: "kill -9 of PostgreSQL and Patroni",
    strike: async ({ nodes }, leader) => nodes[leader]?.signal("SIGKILL"),
    heal: async ({ nodes }, leader) => nodes[leader]?.start(),
  },
  {
    name: "SIGSTOP of both",
    strike: async ({ nodes }, leader) => nodes[leader]?.signal("SIGSTOP"),
    heal: ({ nodes }, leader) => delay(besideMs).then(() => nodes[leader]?.signal("SIGCONT")),
  },
];
export const faultsOfCables: readonly Fault[] = [
  {
    name: "network gone",
    strike: ({ ground }, leader) => ground.setCable(leader, "down"),
    heal: ({ ground }, leader) => delay(besideMs).then(() => ground.setCable(leader, "up")),
  },
];

export type Outcome = Awaited<ReturnType<typeof play>> & { readonly way: string; readonly fault: string };

export interface RunOptions {
  readonly cluster: Cluster;
  readonly dataDir: string;
  readonly way: string;
  readonly settings: { readonly DATABASE_URL: string; readonly DATABASE_DIRECT_URL?: string };
  readonly faults: readonly Fault[];
  readonly say: (outcome: Outcome) => void;
}

const calmMs = 3000;
// Patroni rewinds the former leader only after its successor's checkpoint, which takes minutes on a busy disk.
const wholeMostMs = 900_000;

export async function run({ cluster, dataDir, way, settings, faults, say }: RunOptions): Promise<void> {
  await using ending = openEnding();
  await mkdir(dataDir);
  const start = async () => {
    const services = ["reporting", "push-relay", "disease-command"];
    const server = await startServerProcess(dataDir, { ...relaySettings, ...settings }, services);
    ending.after(() => server.kill());
    return server;
  };
  const servers = [await start(), await start()];
  const { DATABASE_URL, DATABASE_DIRECT_URL: url = DATABASE_URL } = settings;
  const scene = await openScene(ending, {
    servers: servers.map(
      ({ address }) =>
        () =>
          address,
    ),
    url,
  });
  for (const fault of faults) say({ way, fault: fault.name, ...(await play(fault, cluster, servers, scene)) });
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
  return { seen, kept: await judge(scene), readyMs, wholeMs };
}

/**
 * `end` waits until all servers are ready, and returns the time of the last check at which a server was not ready, in
 * ms since the fault, or 0.
 */
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
