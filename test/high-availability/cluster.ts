import { execFile, execFileSync } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { findProcesses, query, signalAll } from "#test/embedded-postgres/server.ts";
import { until } from "#test/until.ts";
import type { Ground } from "./ground.ts";
import { isRoot, startProgram, type Tools } from "./programs.ts";

export interface ClusterOptions {
  readonly ground: Ground;
  readonly tools: Tools;
  readonly ports: Readonly<Record<"postgres" | "rest" | "etcd" | "etcdPeer" | "haproxy" | "pgbouncer", number>>;
  readonly folder: string;
}

// Patroni 3.0 calls a healthy standby `running`; later versions call it `streaming`.
const whole = /^leader running, replica (?:running|streaming), sync_standby (?:running|streaming)$/;

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export async function startCluster(options: ClusterOptions) {
  const { ground, tools, ports, folder } = options;
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  await chmod(folder, 0o755);
  const endEtcd = startEtcd(options);
  const nodes = await Promise.all(ground.hosts.map((_, place) => prepareNode(options, place)));
  nodes.forEach((node) => node.start());
  const ask = (host: string | undefined, target: string, withinMs = 1000): Promise<Response | undefined> =>
    fetch(`http://${host}:${ports.rest}/${target}`, { signal: AbortSignal.timeout(withinMs) }).catch(() => undefined);
  /** Finds the leader: the health check of Patroni for load balancers succeeds only there. */
  const findLeader = async (): Promise<number | undefined> => {
    const answers = await Promise.all(ground.hosts.map((host) => ask(host, "primary")));
    const place = answers.findIndex((answer) => answer?.status === 200);
    return place < 0 ? undefined : place;
  };
  const describeMembers = async (): Promise<string> => {
    const leader = await findLeader();
    if (leader === undefined) return "nobody leads";
    // The timeout is long, since Patroni queries etcd, which takes more than a second on a busy machine.
    const answer = await ask(ground.hosts[leader], "cluster", 5000);
    const { members = [] } = ((await answer?.json().catch(() => undefined)) ?? {}) as {
      members?: { readonly role: string; readonly state: string }[];
    };
    return members
      .map(({ role, state }) => `${role} ${state}`)
      .toSorted()
      .join(", ");
  };
  const administer = async (text: string): Promise<void> => {
    const leader = ground.hosts[(await findLeader()) ?? 0];
    await query(`postgres://postgres@${leader}:${ports.postgres}/postgres`, text);
  };
  /** Waits until the cluster has a leader and two followers, one of them synchronous. */
  const awaitWhole = async (withinMs: number): Promise<void> => {
    let said = "";
    const isWhole = async () => whole.test((said = await describeMembers()));
    await until("the cluster is whole", isWhole, { withinMs, everyMs: 200 }).catch((error: Error) => {
      throw new Error(`${error.message}: ${said}`);
    });
  };
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await endEtcd();
  };
  try {
    await awaitWhole(120_000);
    await administer("create role quintet_server login");
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ground,
    nodes,
    findLeader,
    awaitWhole,
    async switchover() {
      await promisify(execFile)(tools.patronictl, ["-c", `${folder}/node-0.json`, "switchover", "quintet", "--force"]);
    },
    createDatabase: (name: string) => administer(`create database ${name} owner quintet_server`),
    stop,
  };
}

function startEtcd({ ground, tools, ports, folder }: ClusterOptions) {
  const client = `http://${ground.outside}:${ports.etcd}`;
  const peer = `http://${ground.outside}:${ports.etcdPeer}`;
  const args = [
    "--name=etcd",
    `--data-dir=${folder}/etcd`,
    `--initial-cluster=etcd=${peer}`,
    ...["listen", "advertise"].map((kind) => `--${kind}-client-urls=${client}`),
    ...["listen", "initial-advertise"].map((kind) => `--${kind}-peer-urls=${peer}`),
  ];
  return startProgram([tools.etcd, ...args], `${folder}/etcd.log`);
}

async function prepareNode(options: ClusterOptions, place: number) {
  const { ground, tools, folder } = options;
  const dataDir = path.join(folder, `node-${place}`);
  const config = `${dataDir}.json`;
  await mkdir(`${folder}/socket-${place}`);
  await chmod(`${folder}/socket-${place}`, 0o777);
  await writeFile(config, JSON.stringify(describeNode(options, place)));
  let endPatroni: (() => Promise<void>) | undefined;
  /** Signals all processes of the node, Patroni's and PostgreSQL's, as if the machine had failed or had come back. */
  const signal = async (name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): Promise<void> =>
    signalAll(await findProcesses(dataDir), name);
  return {
    start() {
      endPatroni = startProgram([tools.patroni, config], `${folder}/patroni-${place}.log`, ground.commandAt(place));
    },
    signal,
    async stop() {
      await signal("SIGCONT");
      await signal("SIGKILL");
      await endPatroni?.();
    },
  };
}

// 20 s is the least ttl that Patroni allows. In strict mode all writes wait until a standby confirms them. pg_rewind
// turns a former primary into a standby without a full copy.
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
  const at = (port: number) => ({ listen: `${host}:${port}`, connect_address: `${host}:${port}` });
  return {
    scope: "quintet",
    name: `node-${place}`,
    restapi: at(ports.rest),
    etcd3: { host: `${ground.outside}:${ports.etcd}` },
    bootstrap: {
      dcs: agreed,
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
      pg_hba: ["local all all trust", ...["all", "replication"].map((of) => `host ${of} all ${ground.network} trust`)],
    },
    postgresql: {
      ...at(ports.postgres),
      data_dir: `${folder}/node-${place}`,
      bin_dir: tools.postgresBin,
      pgpass: `${folder}/pgpass-${place}`,
      authentication: { superuser: own, replication: own, rewind: own },
      parameters: { unix_socket_directories: `${folder}/socket-${place}` },
    },
  };
}
