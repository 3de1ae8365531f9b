import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { numberOf } from "#platform/database/migrations.ts";
import { send } from "#test/call.ts";
import { operatorPassword, type RunningServer, startCommand, startServerProcess } from "#test/crash/server.ts";
import { createTestDatabase } from "#test/database.ts";
import { copyProject } from "#test/planted.ts";
import { atLength } from "#test/at-length.ts";
import { until } from "#test/until.ts";
import { type Load, startLoad } from "./load.ts";

// This version and the next ones on one database: those are copies of the project with migrations of their own.

const newest = numberOf((await readdir(new URL("../../migrations/", import.meta.url))).toSorted().at(-1) ?? "");
const folder = await mkdtemp(path.join(tmpdir(), "quintet-rolling-"));
after(() => rm(folder, { recursive: true, force: true }));
const dataDir = path.join(folder, "data");
await mkdir(dataDir);

const next = await copyProject(folder);
const plant = (name: string, sql: string) => writeFile(path.join(folder, "migrations", name), sql);
await plant(
  "9000_wider.sql",
  `-- beside: ${newest}\nalter table reporting.report add column planted text;\ncreate table push_relay.planted (id bigint primary key);\n`,
);
await plant(
  "9001_index.sql",
  `-- beside: ${newest}\n-- outside a transaction\ncreate index concurrently if not exists planted on reporting.report (planted);\n`,
);
const contracting =
  "-- beside: 9000\n-- contracts: 9001 has no use for the column\nalter table reporting.report drop column planted;\n";

const calls = 4;
const settings = {
  DATABASE_POOL: "6",
  PUSH_ALLOWED_NETWORKS: "127.0.0.1/32",
  PUSH_POLL_MS: "100",
  STUDENT_IDENTITY: "header",
};

async function readReadiness(address: string) {
  const { status, json } = await send(address, "GET", "/readyz");
  return { status, parts: json.parts as Record<string, boolean> };
}

/**
 * Nobody sends the server anything more, as a proxy sees to; what is under way is answered before it ends.
 * @param status of that answer
 */
async function takeAway(load: Load, server: RunningServer, status = 200): Promise<void> {
  load.rotation.delete(server.address);
  await load.pass(1);
  const body = { userName: "operator", password: operatorPassword };
  const underWay = send(server.address, "POST", "/platform/login", { body });
  await load.pass(1);
  server.child.kill("SIGTERM");
  assert.equal((await underWay).status, status, "what was under way when the server was told to stop");
  assert.deepEqual(await server.ended, { code: 0, signal: null }, server.output().err);
}

test(
  "this version and the next serve side by side without a failed request, and the one after retires this",
  atLength,
  async (t) => {
    const database = await createTestDatabase();
    const start = async (program?: string): Promise<RunningServer> => {
      const services = ["reporting", "push-relay", "disease-command"];
      const given = { DATABASE_URL: database.url, ...settings };
      const server = await startServerProcess(dataDir, given, services, program);
      database.closers.push(() => server.kill());
      return server;
    };
    const old = await start();
    const load = await startLoad(database.pool, old.address);
    await load.pass(calls);
    const second = await start(next);
    load.rotation.add(second.address);
    await load.pass(calls);
    const had = await database.pool`select name, beside from platform.migration where name > '9' order by name`;
    assert.deepEqual(
      had.map(({ name, beside }) => [name, beside]),
      [
        ["9000_wider.sql", newest],
        ["9001_index.sql", newest],
      ],
    );
    const { status, parts } = await readReadiness(old.address);
    assert.deepEqual([status, parts["newest"], parts["beside"], parts["jobs"]], [200, false, true, true]);

    // A version that takes away what this one may use.
    await plant("9002_contract.sql", contracting);
    const third = await start(next);
    load.rotation.add(third.address);
    await until("the old one has finished what it did by itself", async () => {
      const { status: said, parts: left } = await readReadiness(old.address);
      return said === 503 && !left["beside"] && !left["jobs"];
    });
    await load.pass(calls);
    const refused = await fetch(`${old.address}/disease-command/changes`);
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "2"]);
    assert.equal((await fetch(`${old.address}/livez`)).status, 200);
    const { parts: own } = await readReadiness(second.address);
    assert.deepEqual([own["newest"], own["beside"]], [false, true], "it has read its migrations at its start");
    await takeAway(load, old, 503);
    assert.match(old.output().out, /"had":"9002_contract.sql","msg":"the database is too new for this version/);
    await takeAway(load, second);

    const again = startCommand(["migrate"], { DATA_DIR: dataDir, DATABASE_URL: database.url });
    assert.deepEqual([(await again.ended).code, again.output().err], [1, tooNew]);
    const tally = await load.judge(database.pool);
    t.diagnostic(JSON.stringify(tally));
    assert.ok(tally.refusals > 0 && tally.streams >= 2 && tally.changesHeard > 0);
  },
);

const tooNew =
  "The database is too new for this version: it has had 9002_contract.sql. Start the version that knows it, or one beside which it may run.\n";
