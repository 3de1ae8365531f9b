import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { openPool } from "#platform/database/index.ts";
import type { Ground } from "./ground.ts";
import { isRoot, listFamily, signalAll, type Started, startProgram } from "./processes.ts";
import type { Tools } from "./tools.ts";

// Three PostgreSQLs that Patroni looks after, with etcd beside them: what many houses run.

export interface Ports {
  readonly postgres: number;
  readonly rest: number;
  readonly etcd: number;
  readonly etcdPeer: number;
}

export interface Cluster {
  readonly ground: Ground;
  readonly ports: Ports;
  /** Of each node, in the order of the hosts. */
  readonly nodes: readonly Node[];
  /** The number of the node that leads, as Patroni's own check for load balancers says. */
  findLeader(): Promise<number | undefined>;
  /** Waits until one leads and two follow, one of them synchronously. */
  awaitWhole(timeoutMs: number): Promise<void>;
  switchover(): Promise<void>;
  /** Makes a database for a run. */
  createDatabase(name: string): Promise<void>;
  stop(): Promise<void>;
}

export interface Node {
  readonly host: string;
  start(): void;
  /** Sends Patroni, PostgreSQL and all its processes a signal at once, as when the machine goes. */
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void>;
}

export interface ClusterOptions {
  readonly ground: Ground;
  readonly tools: Tools;
  readonly ports: Ports;
  readonly folder: string;
}

const databaseUser = "quintet_server";
const bootTimeoutMs = 120_000;

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { ground, ports, folder } = options;
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  await chmod(folder, 0o755);
  const etcd = startEtcd(options);
  const nodes = await Promise.all(ground.hosts.map((_, place) => prepareNode(options, place)));
  nodes.forEach((node) => node.start());
  const administer = async (text: string): Promise<void> => {
    const leader = ground.hosts[(await findLeader(options)) ?? 0];
    const pool = openPool(`postgres://postgres@${leader}:${ports.postgres}/postgres`, { connections: 1 });
    try {
      await pool.script(text);
    } finally {
      await pool.end({ timeoutMs: 1000 });
    }
  };
  const cluster: Cluster = {
    ground,
    ports,
    nodes,
    findLeader: () => findLeader(options),
    awaitWhole: (timeoutMs) => awaitWhole(options, timeoutMs),
    async switchover() {
      const config = path.join(folder, "node-0.json");
      await promisify(execFile)(options.tools.patronictl, ["-c", config, "switchover", "quintet", "--force"]);
    },
    createDatabase: (name) => administer(`create database ${name} owner ${databaseUser}`),
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await etcd.end("SIGKILL");
    },
  };
  try {
    await cluster.awaitWhole(bootTimeoutMs);
    await administer(`create role ${databaseUser} login`);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

function startEtcd({ ground, tools, ports, folder }: ClusterOptions): Started {
  const client = `http://${ground.outside}:${ports.etcd}`;
  const peer = `http://${ground.outside}:${ports.etcdPeer}`;
  const addresses = { client: ["listen", "advertise"], peer: ["listen", "initial-advertise"] };
  const urls = [
    ...addresses.client.map((kind) => `--${kind}-client-urls=${client}`),
    ...addresses.peer.map((kind) => `--${kind}-peer-urls=${peer}`),
  ];
  const args = ["--name=etcd", `--data-dir=${folder}/etcd`, `--initial-cluster=etcd=${peer}`, ...urls];
  return startProgram([tools.etcd, ...args], `${folder}/etcd.log`);
}

interface PreparedNode extends Node {
  stop(): Promise<void>;
}

async function prepareNode(options: ClusterOptions, place: number): Promise<PreparedNode> {
  const { ground, tools, folder } = options;
  const config = path.join(folder, `node-${place}.json`);
  const dataDir = path.join(folder, `node-${place}`);
  await mkdir(`${folder}/socket-${place}`, { mode: 0o777 });
  await chmod(`${folder}/socket-${place}`, 0o777);
  await writeFile(config, JSON.stringify(describeNode(options, place)));
  let patroni: Started | undefined;
  const listProcesses = async (): Promise<number[]> => {
    const postmaster = await readFile(path.join(dataDir, "postmaster.pid"), "utf8").catch(() => "");
    const roots = [patroni?.child.pid, Number.parseInt(postmaster, 10)].filter((pid) => pid !== undefined && pid > 1);
    return [...new Set((await Promise.all(roots.map((pid) => listFamily(pid as number)))).flat())];
  };
  const start = () => {
    patroni = startProgram([tools.patroni, config], `${folder}/patroni-${place}.log`, ground.commandAt(place));
  };
  const signal = async (name: "SIGKILL" | "SIGSTOP" | "SIGCONT") => signalAll(await listProcesses(), name);
  return {
    host: ground.hosts[place] ?? assert.fail(),
    start,
    signal,
    async stop() {
      await signal("SIGCONT");
      await signal("SIGKILL");
      await patroni?.end("SIGKILL");
    },
  };
}

// ttl is the least that Patroni takes. Strict: without a standby that confirms, nothing is written at all. Rewind makes a
// standby of a primary that was cut off, without copying everything.
const agreed = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 5,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_keep_size: "512MB" } },
};

function describeNode({ ground, tools, ports, folder }: ClusterOptions, place: number): unknown {
  const host = ground.hosts[place];
  const own = { username: "postgres" };
  return {
    scope: "quintet",
    name: `node-${place}`,
    restapi: { listen: `${host}:${ports.rest}`, connect_address: `${host}:${ports.rest}` },
    etcd3: { host: `${ground.outside}:${ports.etcd}` },
    bootstrap: {
      dcs: agreed,
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
      pg_hba: ["local all all trust", ...["all", "replication"].map((of) => `host ${of} all ${ground.network} trust`)],
    },
    postgresql: {
      listen: `${host}:${ports.postgres}`,
      connect_address: `${host}:${ports.postgres}`,
      data_dir: `${folder}/node-${place}`,
      bin_dir: tools.postgresBin,
      pgpass: `${folder}/pgpass-${place}`,
      authentication: { superuser: own, replication: own, rewind: own },
      parameters: { unix_socket_directories: `${folder}/socket-${place}` },
    },
  };
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

const ask = (url: string): Promise<Response | undefined> =>
  fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);

async function findLeader({ ground, ports }: ClusterOptions): Promise<number | undefined> {
  const answers = await Promise.all(ground.hosts.map((host) => ask(`http://${host}:${ports.rest}/primary`)));
  const place = answers.findIndex((answer) => answer?.status === 200);
  return place < 0 ? undefined : place;
}

const working = new Set(["running", "streaming"]);

async function awaitWhole(options: ClusterOptions, timeoutMs: number): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const said = await describeMembers(options);
    if (said === "leader, replica, sync_standby") return;
    assert.ok(performance.now() < endMs, `the cluster is not whole after ${timeoutMs} ms: ${said}`);
    await delay(200);
  }
}

/** The roles of those that work, in order of the alphabet. */
async function describeMembers(options: ClusterOptions): Promise<string> {
  const leader = await findLeader(options);
  if (leader === undefined) return "nobody leads";
  const answer = await ask(`http://${options.ground.hosts[leader]}:${options.ports.rest}/cluster`);
  const { members = [] } = ((await answer?.json().catch(() => undefined)) ?? {}) as { members?: Member[] };
  return members
    .filter(({ state }) => working.has(state))
    .map(({ role }) => role)
    .toSorted()
    .join(", ");
}
