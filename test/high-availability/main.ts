// What `npm run test:ha` runs: three PostgreSQLs that Patroni looks after, two servers under load, and what happens to
// whoever leads, at three addresses of this machine and, as root, in three network namespaces. It ends with a table, and
// with the code 2 where a tool is missing. HA_ONLY="PgBouncer: SIGSTOP,HAProxy" plays those rows alone.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { test } from "node:test";
import { makeServerFolder, openEnding } from "#test/crash/server.ts";
import { assertOnly, nothingWrong, unavailable } from "#test/faults/scene.ts";
import { startCluster } from "./cluster.ts";
import { faults } from "./faults.ts";
import { type Ground, loopback, openNamespaces } from "./ground.ts";
import { isRoot } from "./processes.ts";
import { startHaproxy, startPgbouncer } from "./proxies.ts";
import { type Outcome, run } from "./run.ts";
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
    const { lost, doubled, missing, outOfOrder, seen } = outcome;
    assert.deepEqual({ lost, doubled, missing, outOfOrder }, nothingWrong, toRow(outcome));
    // While nobody leads a client is told to try again.
    assertOnly(seen, unavailable, toRow(outcome));
  }
  assert.ok(outcomes.length > 0, "nothing was played");
});

async function playOn(ground: Ground): Promise<void> {
  await using ending = openEnding();
  ending.after(() => ground.close());
  const folder = await makeServerFolder(ending);
  const [postgres = 0, rest = 0, etcd = 0, etcdPeer = 0, haproxy = 0, pgbouncer = 0] = await findPorts(6);
  const cluster = await startCluster({ ground, tools, folder, ports: { postgres, rest, etcd, etcdPeer } });
  ending.after(() => cluster.stop());
  const before = await startHaproxy(cluster, tools, folder, haproxy);
  ending.after(() => before.end("SIGKILL"));
  const pooler = await startPgbouncer(tools, folder, { haproxy, pgbouncer });
  ending.after(() => pooler.end("SIGKILL"));
  for (const name of ["HAProxy", "PgBouncer"]) {
    // Where cables can be pulled, all the rest has been played already.
    const wanted = faults.filter(
      (fault) => fault.needsCable === (ground.setCable !== undefined) && isWanted(`${name}: ${fault.name}`),
    );
    if (wanted.length === 0) continue;
    const database = `quintet_${name.toLowerCase()}`;
    await cluster.createDatabase(database);
    const at = (port: number) => `postgres://quintet_server@127.0.0.1:${port}/${database}`;
    // As operations.md has them.
    const settings =
      name === "HAProxy"
        ? { DATABASE_URL: at(haproxy) }
        : { DATABASE_URL: at(pgbouncer), DATABASE_DIRECT_URL: at(haproxy) };
    const say = (outcome: Outcome) => {
      outcomes.push(outcome);
      console.log(toRow(outcome));
    };
    await run({ cluster, dataDir: path.join(folder, database), way: { name, settings }, faults: wanted, say });
  }
}

/** Ports that nobody has at the moment. */
async function findPorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

// The table of a run, in Markdown, as docs/faults.md has it.

const heads = [
  "through",
  "fault",
  "longest without a success, s",
  "slowest request, s",
  "told to try again",
  "acknowledged meanwhile",
  "lost, doubled",
  "pushes missing, out of order",
  "pushed again",
  "both servers ready, s",
  "three nodes again, s",
];

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

function toRow({ way, fault, seen, ...rest }: Outcome): string {
  const failures = Object.entries(seen.failures).map(([name, count]) => `${count} × ${name}`);
  const cells = [
    way,
    fault,
    seconds(seen.longestGapMs),
    seconds(seen.slowestMs),
    failures.join(", ") || "–",
    seen.acknowledged,
    `${rest.lost}, ${rest.doubled}`,
    `${rest.missing}, ${rest.outOfOrder}`,
    rest.repeated,
    seconds(rest.readyMs),
    seconds(rest.wholeMs),
  ];
  return `| ${cells.join(" | ")} |`;
}

const toTable = (outcomes: readonly Outcome[]): string =>
  [`| ${heads.join(" | ")} |`, `|${"---|".repeat(heads.length)}`, ...outcomes.map(toRow)].join("\n");
