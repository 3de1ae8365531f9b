// `npm run test:ha` injects faults into the leader of three PostgreSQL nodes under Patroni, while two servers are under
// load. The nodes use three loopback addresses and then, if the test runs as root, three network namespaces. The test
// prints a table, or exits with code 2 if a tool is missing. HA_ONLY="PgBouncer: SIGSTOP,HAProxy" runs only the rows
// whose name contains one of the texts separated by commas.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { makeServerFolder, openEnding } from "#test/crash/server.ts";
import { assertOnly, nothingWrong, unavailable } from "#test/faults/scene.ts";
import { startCluster } from "./cluster.ts";
import { type Ground, loopback, openNamespaces } from "./ground.ts";
import { findPorts, findTools, isRoot, type Tools, versionOf } from "./programs.ts";
import { startHaproxy, startPgbouncer } from "./proxies.ts";
import { faultsOfCables, faultsOfNodes, type Outcome, run } from "./run.ts";

const found = findTools();
if ("missing" in found) {
  console.error(`Missing: ${found.missing.join(", ")}. On Debian: apt-get install ${found.missing.join(" ")}`);
  process.exit(2);
}
const tools: Tools = found;
for (const file of [`${tools.postgresBin}/postgres`, tools.patroni, tools.etcd, tools.haproxy, tools.pgbouncer])
  console.log(`${path.basename(file)} ${versionOf(file)}`);

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
  const heads = Object.keys(columns);
  console.log(`\n${[toLine(heads), toLine(heads.map(() => "---")), ...outcomes.map(toRow)].join("\n")}\n`);
  for (const outcome of outcomes) {
    const { repeated: _, ...kept } = outcome.kept;
    assert.deepEqual(kept, nothingWrong, toRow(outcome));
    assertOnly(outcome.seen, unavailable, toRow(outcome));
  }
  assert.ok(outcomes.length > 0, "nothing was played");
});

async function playOn(ground: Ground): Promise<void> {
  await using ending = openEnding();
  ending.after(() => ground.close());
  const folder = await makeServerFolder(ending);
  const [postgres = 0, rest = 0, etcd = 0, etcdPeer = 0, haproxy = 0, pgbouncer = 0] = await findPorts(6);
  const options = { ground, tools, folder, ports: { postgres, rest, etcd, etcdPeer, haproxy, pgbouncer } };
  const cluster = await startCluster(options);
  ending.after(() => cluster.stop());
  ending.after(await startHaproxy(options));
  ending.after(await startPgbouncer(options));
  for (const way of ["HAProxy", "PgBouncer"]) {
    // In namespaces only the cable faults run, since loopback addresses suffice for the other faults.
    const faults = (ground.hasCables ? faultsOfCables : faultsOfNodes).filter(({ name }) =>
      isWanted(`${way}: ${name}`),
    );
    if (faults.length === 0) continue;
    const database = `quintet_${way.toLowerCase()}`;
    await cluster.createDatabase(database);
    const at = (port: number) => `postgres://quintet_server@127.0.0.1:${port}/${database}`;
    // docs/operations.md documents these settings.
    const settings =
      way === "HAProxy"
        ? { DATABASE_URL: at(haproxy) }
        : { DATABASE_URL: at(pgbouncer), DATABASE_DIRECT_URL: at(haproxy) };
    const say = (outcome: Outcome) => {
      outcomes.push(outcome);
      console.log(toRow(outcome));
    };
    await run({ cluster, dataDir: path.join(folder, database), way, settings, faults, say });
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1);
const listFailures = ({ seen }: Outcome): string =>
  Object.entries(seen.failures)
    .map(([name, count]) => `${count} × ${name}`)
    .join(", ") || "–";

const columns: Readonly<Record<string, (outcome: Outcome) => string | number>> = {
  through: ({ way }) => way,
  fault: ({ fault }) => fault,
  "longest without a success, s": ({ seen }) => seconds(seen.longestGapMs),
  "slowest request, s": ({ seen }) => seconds(seen.slowestMs),
  "told to try again": listFailures,
  "acknowledged meanwhile": ({ seen }) => seen.acknowledged,
  "lost, doubled": ({ kept }) => `${kept.lost}, ${kept.doubled}`,
  "pushes missing, out of order": ({ kept }) => `${kept.missing}, ${kept.outOfOrder}`,
  "pushed again": ({ kept }) => kept.repeated,
  "both servers ready, s": ({ readyMs }) => seconds(readyMs),
  "three nodes again, s": ({ wholeMs }) => seconds(wholeMs),
};

const toLine = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
const toRow = (outcome: Outcome): string => toLine(Object.values(columns).map((cell) => cell(outcome)));
