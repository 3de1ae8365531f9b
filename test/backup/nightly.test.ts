import assert from "node:assert/strict";
import path from "node:path";
import { describe, test } from "node:test";
import { type BackupPlace, openNightly } from "#platform/backup/index.ts";
import { isDue } from "#platform/backup/due.ts";
import { listWhole } from "#platform/backup/manifest.ts";
import { makeFolder, newPlace, startCluster, startRestored } from "./cluster.ts";

const cluster = await startCluster(path.join(await makeFolder(), "data"));
const { pool, source } = cluster;
await pool`create table kept (id int primary key)`;

const start = Date.now();
let now = start;
const clock = (): number => now;
const log = { info() {}, warn() {} };
const folder = await newPlace();
let failing = 0;
// A place that may be away.
const place: BackupPlace = {
  ...folder,
  put: async (name, content) => {
    if (failing-- > 0) throw Object.assign(new Error("away"), { code: "EHOSTDOWN" });
    return folder.put(name, content);
  },
};

// An hour ago in Asia/Shanghai, so that no run of the tests is due twice.
const BACKUP_TIME = new Date(start + 7 * 3_600_000).toISOString().slice(11, 16);
const open = () => openNightly({ source, place, settings: { BACKUP_TIME, BACKUP_KEEP: 1 }, clock, log });

async function run(nightly: ReturnType<typeof open>): Promise<void> {
  const task = nightly.tasks["platform-backup"];
  await (typeof task === "function" ? task() : assert.fail("a task without a payload"));
}

test("it is due once a day at its hour in Asia/Shanghai, at once where it was missed, and half an hour after a failure", () => {
  const at = (text: string) => new Date(`2027-03-02T${text}+08:00`);
  const never = { wholeAt: undefined, failedAt: undefined };
  assert.equal(isDue("03:00", never, at("12:00")), true);
  assert.equal(isDue("03:00", { ...never, wholeAt: at("02:59") }, at("03:00")), true);
  assert.equal(isDue("03:00", { ...never, wholeAt: at("03:00") }, at("23:59")), false);
  assert.equal(isDue("03:00", { ...never, wholeAt: at("00:10") }, at("02:59")), false);
  assert.equal(isDue("23:30", { ...never, wholeAt: at("01:00") }, at("23:29")), false);
  assert.equal(isDue("03:00", { ...never, failedAt: at("03:00") }, at("03:29")), false);
  assert.equal(isDue("03:00", { ...never, failedAt: at("03:00") }, at("03:30")), true);
});

describe("nightly backups", () => {
  test("a store that fails is told of in health, and it is tried again", async () => {
    const nightly = open();
    assert.equal((await nightly.health()).state, "degraded");
    failing = 1;
    await run(nightly);
    const { state, figures } = await nightly.health();
    assert.equal(state, "degraded");
    assert.equal(figures["lastFailure"], "EHOSTDOWN");
    await run(nightly);
    assert.deepEqual(await listWhole(place), []);
    now = start + 31 * 60_000;
  });

  test("a moment after one can be restored, before what was written later", async (t) => {
    const nightly = open();
    await run(nightly);
    assert.equal((await nightly.health()).state, "ok");
    await pool`insert into kept values (1)`;
    // A Date has no microseconds: it must not be before the commit.
    const [between] = await pool<{ at: Date }[]>`select clock_timestamp() as at from pg_sleep(0.01)`;
    await pool`insert into kept values (2)`;
    // By another process, which finds what the first has left.
    await run(open());
    const { pool: early } = await startRestored(place, t, { to: between?.at ?? new Date() });
    assert.deepEqual(await early`select id from kept order by id`, [{ id: 1 }]);
    now = start + 26 * 3_600_000;
    assert.equal((await nightly.health()).state, "degraded");
  });
});
