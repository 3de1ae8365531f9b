import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { test } from "node:test";
import { numberOf } from "#platform/database/migrations.ts";
import { send } from "#test/call.ts";
import {
  logIn,
  openEnding,
  operatorPassword,
  type RunningServer,
  startCommand,
  startServerProcess,
} from "#test/crash/server.ts";
import { createTestDatabase } from "#test/database.ts";
import { type Closing, makeFolder } from "#test/embedded-postgres/server.ts";
import { awaitBackgroundWork, backMs, judge, nothingWrong, openScene, relaySettings } from "#test/faults/scene.ts";
import { copyProject } from "#test/planted.ts";
import { atLength } from "#test/at-length.ts";
import { until } from "#test/until.ts";

// Servers of this version and of later ones share a database; the later servers run copies of the project with further
// migrations.

const migrations = new URL("../../migrations/", import.meta.url);
const contracting =
  "-- beside: 9000\n-- contracts: 9001 has no use for the column\nalter table reporting.report drop column planted;\n";

async function plantNext(ending: Closing) {
  const newest = numberOf((await readdir(migrations)).toSorted().at(-1) ?? "");
  const folder = await makeFolder(ending);
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
  return { newest, dataDir, next, plant };
}

const settings = { DATABASE_POOL: "6", ...relaySettings, PUSH_POLL_MS: "100", STUDENT_IDENTITY: "header" };
const services = ["reporting", "push-relay", "disease-command"];

async function readReadiness(address: string) {
  const { status, json } = await send(address, "GET", "/readyz");
  return { status, parts: json.parts as Record<string, boolean> };
}

async function openGround(ending: Closing, dataDir: string) {
  const { url, pool } = await createTestDatabase();
  const start = async (program?: string): Promise<RunningServer> => {
    const server = await startServerProcess(dataDir, { DATABASE_URL: url, ...settings }, services, program);
    ending.after(() => server.kill());
    return server;
  };
  const old = await start();
  const rotation = [old];
  let turn = 0;
  const pick = () => rotation[turn++ % rotation.length]?.address ?? assert.fail("no server is in the rotation");
  const scene = await openScene(ending, { servers: [pick], url });
  const token = await logIn(old.address);
  const work = async (...failures: string[]): Promise<void> => {
    await scene.load.goesOn(backMs);
    const able = rotation.filter((server) => server !== old || failures.length === 0);
    await awaitBackgroundWork(pool, able);
    for (const { address } of able) {
      const list = await send(address, "GET", "/reporting/informationReporting/list?pageSize=5", { token });
      const body = { id: 1, value: turn % 100 };
      const change = "/disease-command/consumptionCategoryStatistics/update";
      assert.deepEqual([list.json.code, (await send(address, "PUT", change, { token, body })).json.code], ["0", "0"]);
    }
    assert.deepEqual(Object.keys(scene.load.observed().failures).toSorted(), failures);
    scene.load.observe();
  };
  /**
   * Drains a server as a proxy does: the server gets no new requests, and requests in flight are answered before it
   * ends.
   */
  const takeAway = async (server: RunningServer, status: number): Promise<void> => {
    rotation.splice(rotation.indexOf(server), 1);
    await scene.load.goesOn(backMs);
    const body = { userName: "operator", password: operatorPassword };
    const underWay = send(server.address, "POST", "/platform/login", { body });
    await scene.load.goesOn(backMs);
    server.child.kill("SIGTERM");
    assert.equal((await underWay).status, status, "what was under way when the server was told to stop");
    assert.deepEqual(await server.ended, { code: 0, signal: null }, server.output().err);
    scene.load.observe();
  };
  return { url, pool, start, old, rotation, scene, work, takeAway };
}

test(
  "this version and the next serve side by side without a failed request, and the one after retires this",
  atLength,
  async () => {
    await using ending = openEnding();
    const { newest, dataDir, next, plant } = await plantNext(ending);
    const { url, pool, start, old, rotation, scene, work, takeAway } = await openGround(ending, dataDir);
    await work();
    const second = await start(next);
    rotation.push(second);
    await work();
    const had = await pool`select name, beside from platform.migration where name > '9' order by name`;
    assert.deepEqual(
      had.map(({ name, beside }) => [name, beside]),
      [
        ["9000_wider.sql", newest],
        ["9001_index.sql", newest],
      ],
    );
    const { status, parts } = await readReadiness(old.address);
    assert.deepEqual([status, parts["newest"], parts["beside"], parts["jobs"]], [200, false, true, true]);

    await plant("9002_contract.sql", contracting);
    rotation.push(await start(next));
    await until("the old one has finished what it did by itself", async () => {
      const { status: said, parts: left } = await readReadiness(old.address);
      return said === 503 && !left["beside"] && !left["jobs"];
    });
    await work("503 10000", "not taken");
    const refused = await fetch(`${old.address}/disease-command/changes`);
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "2"]);
    assert.equal((await fetch(`${old.address}/livez`)).status, 200);
    const { parts: own } = await readReadiness(second.address);
    assert.deepEqual([own["newest"], own["beside"]], [false, true], "it has read its migrations at its start");
    await takeAway(old, 503);
    assert.match(old.output().out, /"had":"9002_contract.sql","msg":"the database is too new for this version/);
    await work();
    await takeAway(second, 200);

    const again = startCommand(["migrate"], { DATA_DIR: dataDir, DATABASE_URL: url });
    assert.deepEqual([(await again.ended).code, again.output().err], [1, tooNew]);
    await work();
    await scene.load.stop();
    const { repeated: _, ...kept } = await judge(scene);
    assert.deepEqual(kept, nothingWrong);
  },
);

const tooNew =
  "The database is too new for this version: migration 9002_contract.sql is unknown. Start a newer version.\n";
