import { execFile, execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { query, signalAll } from "#test/embedded-postgres/server.ts";
import { until } from "#test/until.ts";
import type { Ground } from "./ground.ts";
import { isRoot, listFamily, type Started, startProgram } from "./processes.ts";
import type { Tools } from "./tools.ts";

// Three PostgreSQLs that Patroni looks after, with etcd beside them: what many houses run.

export interface Ports {
  readonly postgres: number;
  readonly rest: number;
  readonly etcd: number;
  readonly etcdPeer: number;
}

export interface ClusterOptions {
  readonly ground: Ground;
  readonly tools: Tools;
  readonly ports: Ports;
  readonly folder: string;
}

const databaseUser = "quintet_server";
const bootMostMs = 120_000;

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export async function startCluster(options: ClusterOptions) {
  const { ground, ports, folder } = options;
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  await chmod(folder, 0o755);
  const etcd = startEtcd(options);
  const nodes = await Promise.all(ground.hosts.map((_, place) => prepareNode(options, place)));
  nodes.forEach((node) => node.start());
  const administer = async (text: string): Promise<void> => {
    const leader = ground.hosts[(await findLeader(options)) ?? 0];
    await query(`postgres://postgres@${leader}:${ports.postgres}/postgres`, text);
  };
  /** Waits until one leads and two follow, one of them synchronously. */
  const awaitWhole = async (withinMs: number): Promise<void> => {
    let said = "";
    const isWhole = async () => (said = await describeMembers(options)) === "leader, replica, sync_standby";
    await until("the cluster is whole", isWhole, { withinMs, everyMs: 200 }).catch((error: Error) => {
      throw new Error(`${error.message}: ${said}`);
    });
  };
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await etcd.end("SIGKILL");
  };
  try {
    await awaitWhole(bootMostMs);
    await administer(`create role ${databaseUser} login`);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ground,
    ports,
    /** In the order of the hosts. */
    nodes,
    /** The number of the node that leads, as Patroni's own check for load balancers says. */
    findLeader: () => findLeader(options),
    awaitWhole,
    async switchover() {
      const config = path.join(folder, "node-0.json");
      await promisify(execFile)(options.tools.patronictl, ["-c", config, "switchover", "quintet", "--force"]);
    },
    /** Makes a database for a run. */
    createDatabase: (name: string) => administer(`create database ${name} owner ${databaseUser}`),
    stop,
  };
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

async function prepareNode(options: ClusterOptions, place: number) {
  const { ground, tools, folder } = options;
  const config = path.join(folder, `node-${place}.json`);
  const dataDir = path.join(folder, `node-${place}`);
  await mkdir(`${folder}/socket-${place}`, { mode: 0o777 });
  await chmod(`${folder}/socket-${place}`, 0o777);
  await writeFile(config, JSON.stringify(describeNode(options, place)));
  let patroni: Started | undefined;
  /** Sends Patroni, PostgreSQL and all its processes a signal at once, as when the machine goes. */
  const signal = async (name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void> => {
    const postmaster = await readFile(path.join(dataDir, "postmaster.pid"), "utf8").catch(() => "");
    const roots = [patroni?.child.pid ?? 0, Number.parseInt(postmaster, 10)].filter((pid) => pid > 1);
    const families = await Promise.all(roots.map(listFamily));
    signalAll([...new Set(families.flat())], name);
  };
  return {
    start() {
      patroni = startProgram([tools.patroni, config], `${folder}/patroni-${place}.log`, ground.commandAt(place));
    },
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

const ask = (url: string): Promise<Response | undefined> =>
  fetch(url, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);

async function findLeader({ ground, ports }: ClusterOptions): Promise<number | undefined> {
  const answers = await Promise.all(ground.hosts.map((host) => ask(`http://${host}:${ports.rest}/primary`)));
  const place = answers.findIndex((answer) => answer?.status === 200);
  return place < 0 ? undefined : place;
}

/** The roles of those that work, in order of the alphabet. */
async function describeMembers(options: ClusterOptions): Promise<string> {
  const leader = await findLeader(options);
  if (leader === undefined) return "nobody leads";
  const answer = await ask(`http://${options.ground.hosts[leader]}:${options.ports.rest}/cluster`);
  const { members = [] } = ((await answer?.json().catch(() => undefined)) ?? {}) as {
    members?: { readonly role: string; readonly state: string }[];
  };
  return members
    .filter(({ state }) => state === "running" || state === "streaming")
    .map(({ role }) => role)
    .toSorted()
    .join(", ");
}
