// What `npm run test:ha` runs: three PostgreSQLs that Patroni looks after, two servers under load, and what happens to
// whoever leads, at three addresses of this machine and, as root, in three network namespaces. It ends with a table, and
// with the code 2 where a tool is missing. HA_ONLY="PgBouncer: SIGSTOP,HAProxy" plays those rows alone.
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { type Cluster, startCluster } from "./cluster.ts";
import { faults } from "./faults.ts";
import { type Ground, loopback, openNamespaces } from "./ground.ts";
import { isRoot } from "./processes.ts";
import { startHaproxy, startPgbouncer } from "./proxies.ts";
import { type Outcome, run, type Way } from "./run.ts";
import { toRow, toTable } from "./table.ts";
import { findTools, type Tools, versionOf } from "./tools.ts";

const found = findTools();
if ("missing" in found) {
  console.error(`Missing: ${found.missing.join(", ")}. On Debian: apt-get install ${found.missing.join(" ")}`);
  process.exit(2);
}
const tools: Tools = found;
console.log(
  `PostgreSQL ${versionOf(`${tools.postgresBin}/postgres`)}, Patroni ${versionOf(tools.patroni)}, etcd ${versionOf(tools.etcd)}, HAProxy ${versionOf(tools.haproxy)}, PgBouncer ${versionOf(tools.pgbouncer)}`,
);

const only = (process.env["HA_ONLY"] ?? "").split(",").filter((word) => word !== "");
const isWanted = (row: string): boolean => only.length === 0 || only.some((words) => row.includes(words));

const outcomes: Outcome[] = [];

test("at three addresses, whoever leads may go", async () => playOn(loopback));

test(
  "in three networks, the cable of whoever leads may be pulled",
  { skip: isRoot ? false : "network namespaces are root's to make" },
  async () => playOn(await openNamespaces()),
);

test("what was acknowledged is kept", () => {
  console.log(`\n${toTable(outcomes)}\n`);
  for (const outcome of outcomes) {
    const { lost, doubled, eventsMissing, outOfOrder, seen } = outcome;
    const wrong = { lost, doubled, eventsMissing, outOfOrder };
    assert.deepEqual(wrong, { lost: 0, doubled: 0, eventsMissing: 0, outOfOrder: 0 }, toRow(outcome));
    assert.deepEqual(
      Object.keys(seen.failures).filter((failure) => !expected.has(failure)),
      [],
      toRow(outcome),
    );
  }
  assert.ok(outcomes.length > 0, "nothing was played");
});

/** What a client may be told while nobody leads: to try again. */
const expected = new Set(["503 10000", "not taken"]);

async function playOn(ground: Ground): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-ha-"));
  const closers: (() => Promise<unknown>)[] = [
    () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
    () => ground.close(),
  ];
  try {
    const [postgres = 0, rest = 0, etcd = 0, etcdPeer = 0, haproxy = 0, pgbouncer = 0] = await findPorts(6);
    const cluster = await startCluster({ ground, tools, folder, ports: { postgres, rest, etcd, etcdPeer } });
    closers.push(() => cluster.stop());
    const before = await startHaproxy(cluster, tools, folder, haproxy);
    closers.push(() => before.end("SIGKILL"));
    const pooler = await startPgbouncer(tools, folder, { haproxy, pgbouncer });
    closers.push(() => pooler.end("SIGKILL"));
    for (const [place, way] of listWays({ haproxy, pgbouncer }).entries()) await playWay(cluster, way, place);
  } finally {
    for (const close of closers.toReversed()) await close();
  }

  async function playWay(cluster: Cluster, toWay: (database: string) => Way, place: number): Promise<void> {
    const database = `quintet_${place}`;
    const way = toWay(database);
    // Where cables can be pulled, all the rest has been played already.
    const wanted = faults.filter(
      ({ name, needsCable }) => needsCable === (ground.setCable !== undefined) && isWanted(`${way.name}: ${name}`),
    );
    if (wanted.length === 0) return;
    await cluster.createDatabase(database);
    const say = (outcome: Outcome) => {
      outcomes.push(outcome);
      console.log(toRow(outcome));
    };
    await run({ cluster, folder, database, way, faults: wanted, say });
  }
}

interface ProxyPorts {
  readonly haproxy: number;
  readonly pgbouncer: number;
}

/** The ways to PostgreSQL that operations.md names. */
function listWays({ haproxy, pgbouncer }: ProxyPorts): ((database: string) => Way)[] {
  const at = (port: number, database: string) => `postgres://quintet_server@127.0.0.1:${port}/${database}`;
  return [
    (database) => ({ name: "HAProxy", settings: { DATABASE_URL: at(haproxy, database) } }),
    (database) => ({
      name: "PgBouncer",
      settings: { DATABASE_URL: at(pgbouncer, database), DATABASE_DIRECT_URL: at(haproxy, database) },
    }),
  ];
}

/** Ports that nobody has at the moment. */
async function findPorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
