import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { startServerProcess } from "#test/crash/server.ts";
import { createTestDatabase } from "#test/database.ts";
import { startDingtalkApp } from "#test/stand-ins/work-apps.ts";
import { until } from "#test/until.ts";
import { findZone } from "./zones.ts";

const isLong = process.env["AT_LENGTH"] !== undefined;
const [students, kills] = isLong ? [10_000, 8] : [300, 2];
const mostUnderWay = 16;

const dingtalk = await startDingtalkApp("key", "app-secret", "77");
const { url, pool } = await createTestDatabase();
const dataDir = await mkdtemp(path.join(tmpdir(), "quintet-notices-"));
after(() => Promise.all([dingtalk.close(), rm(dataDir, { recursive: true, force: true })]));

const start = () =>
  startServerProcess(dataDir, {
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    PORT: "0",
    SECOND_FACTOR: "off",
    OPERATOR_PASSWORD: "operator-of-tests-1",
    TIME_ZONE: findZone(12),
    DINGTALK_APP_KEY: "key",
    DINGTALK_APP_SECRET: "app-secret",
    DINGTALK_AGENT_ID: "77",
    DINGTALK_BASE_URL: dingtalk.url,
  });
const work = () => pool`select graphile_worker.add_job('platform-notices')`;
const count = (state: string) => pool.value<number>`select count(*) from platform.notice where state = ${state}`;

test(`kill -9 in the middle of ${students} notices: nobody is told twice, and who may not have been told is known`, async () => {
  let server = await start();
  await pool`
    insert into tuition_payment.payable (student_no, student_name, grade, years, amount_fen, item_names, item_fen, due_date)
    select 'S' || n, '学生', '2026', '2026', 100, '{学费}', '{100}', (now() at time zone ${findZone(12)})::date + 7
    from generate_series(1, ${students}::integer) as n`;
  await pool`insert into platform.notice_kind (kind) values ('tuition-payment.due')`;
  await work();
  await until("all are queued", async () => (await count("waiting")) === students);
  for (let kill = 1; kill <= kills; kill++) {
    await work();
    const enough = (students * kill) / (kills + 1);
    await until("some have been told", () => dingtalk.told.length >= enough);
    await server.kill();
    server = await start();
  }
  await work();
  await until("all have left", async () => (await count("waiting")) === 0);
  const busy = () => pool.value<number>`
    select count(*) from graphile_worker.jobs where task_identifier = 'platform-notices-send'`;
  await until("the last are settled", async () => (await busy()) === 0);
  const left = await count("sending");
  await pool`update platform.notice set state_at = state_at - interval '6 minutes' where state = 'sending'`;
  await work();
  await until("what was lost is known", async () => (await count("sending")) === 0);
  await server.kill();
  const told = dingtalk.told.map(({ to }) => to);
  assert.equal(new Set(told).size, told.length, "nobody is told twice");
  const [sent, unknown] = [await count("sent"), await count("unknown")];
  assert.equal(sent + unknown, students);
  assert.ok(unknown === left && unknown <= kills * mostUnderWay, `${unknown} of unknown outcome`);
  assert.ok(told.length >= sent && told.length <= students, `${told.length} told, ${sent} known as sent`);
});
