import assert from "node:assert/strict";
import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { judge } from "#platform/process/condition.ts";
import { conditions } from "#quintet/app.ts";
import { test } from "node:test";
import { loadOrMakeBackupKeys, openNightly } from "#platform/backup/index.ts";
import { isDue } from "#platform/backup/nightly.ts";
import { listBackups } from "#platform/backup/folder.ts";
import { noKeys } from "#platform/sealing/keyring.ts";
import { createTestDatabase } from "#test/database.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";
import { makeStore } from "./source.ts";

test("it is due once a day at its hour in Asia/Shanghai, at once where it was missed, and half an hour after a failure", () => {
  const at = (text: string) => new Date(`2027-03-02T${text}+08:00`);
  for (const [hour, wholeAt, failedAt, now, due] of [
    ["03:00", "", "", "12:00", true],
    ["03:00", "02:59", "", "03:00", true],
    ["03:00", "03:00", "", "23:59", false],
    ["03:00", "00:10", "", "02:59", false],
    ["23:30", "01:00", "", "23:29", false],
    ["03:00", "", "03:00", "03:29", false],
    ["03:00", "", "03:00", "03:30", true],
  ] as const) {
    const before = { wholeAt: wholeAt ? at(wholeAt) : undefined, failedAt: failedAt ? at(failedAt) : undefined };
    assert.equal(isDue(hour, before, at(now)), due, `${hour}, at ${now}`);
  }
});

test("a folder that is away is told of in health and tried again; what is old goes; nothing for a day is told of", async () => {
  const { pool } = await createTestDatabase();
  const parent = await makeFolder();
  const folder = path.join(parent, "backups");
  await writeFile(folder, "a file is in the way");
  const start = Date.now();
  let now = start;
  // BACKUP_TIME is an hour before the start, as a time in Asia/Shanghai, so that it passes only once between the runs
  // below.
  const BACKUP_TIME = new Date(start + 7 * 3_600_000).toISOString().slice(11, 16);
  const source = { pool, files: await makeStore(), keys: await loadOrMakeBackupKeys(noKeys, parent) };
  const log = { info() {}, warn() {} };
  const nightly = openNightly({
    source,
    folder,
    settings: { BACKUP_TIME, BACKUP_KEEP: 1 },
    clock: () => now,
    log,
  });
  const run = async (): Promise<void> => {
    const task = nightly.tasks["platform-backup"];
    await (typeof task === "function" ? task() : assert.fail("a task without a payload"));
  };
  const readHealth = async () => judge(await nightly.health(), conditions);
  await run();
  assert.equal((await readHealth()).state, "failed");
  await rm(folder);
  await run();
  assert.deepEqual(await listBackups(folder), []);
  assert.partialDeepStrictEqual(await readHealth(), {
    state: "degraded",
    figures: { ageHours: null, lastFailure: "ENOTDIR" },
  });
  now = start + 31 * 60_000;
  await run();
  assert.equal((await readHealth()).state, "ok");
  now = start + 25 * 3_600_000;
  await run();
  await run();
  assert.equal((await readdir(folder)).length, 1);
  now = start + 60 * 3_600_000;
  assert.equal((await readHealth()).state, "degraded");
});
