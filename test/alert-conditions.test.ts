import assert from "node:assert/strict";
import { hostname } from "node:os";
import { beforeEach, test } from "node:test";
import { pino } from "pino";
import { evaluateConditions } from "#platform/alerts/evaluate.ts";
import { type Condition, nameConditions } from "#platform/process/condition.ts";
import type { Figures, Part } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import { conditions } from "#quintet/app.ts";
import { readSettings } from "#quintet/settings.ts";
import { createTestDatabase } from "#test/database.ts";

const { pool } = await createTestDatabase();
const logged: string[] = [];
const log = pino({ level: "warn" }, { write: (line: string) => void logged.push(line) });
let nowMs = 0;
let parts: Part[] = [];
const platform = { pool, settings: readSettings({}), clock: () => nowMs, log } as unknown as Platform;

beforeEach(async () => {
  nowMs = Date.now();
  parts = [];
  logged.length = 0;
  await pool`delete from platform.alert`;
});

const minute = 60_000;
const look = (...names: string[]) =>
  evaluateConditions(
    conditions.filter(({ id }) => names.includes(id)),
    { platform, listParts: async () => parts },
  );

/** Lists the subjects of current alerts; an asterisk marks alerts still within their minimum duration. */
async function listSubjects(): Promise<string[]> {
  const rows = await pool<{ subject: string; opened: boolean }[]>`
    select subject, opened_at is not null as opened from platform.alert where over_at is null order by subject`;
  return rows.map(({ subject, opened }) => (opened ? subject : `*${subject}`));
}

test("every condition has its words in both languages", () => {
  assert.ok(conditions.length >= 10);
  assert.equal(new Set(conditions.map(({ id }) => id)).size, conditions.length);
  for (const { id, title, remedy } of conditions)
    for (const { zh, en } of [title, remedy]) assert.ok(/\p{Script=Han}/u.test(zh) && /^[A-Z]/.test(en), id);
});

const partOf = (name: string, figures: Figures): Part => ({ name, title: { zh: "部分", en: `The ${name}` }, figures });
const unread = (name: string): Part => ({ ...partOf(name, { reason: "not reachable" }), unread: true });

test("figures say whether a condition holds", () => {
  const heldBy = (name: string, figures: Figures) =>
    conditions.filter(({ of }) => of?.part === name && of.holds(figures)).map(({ id }) => id.split(".")[1]);
  const room = {
    usedBytes: 1,
    quotaBytes: 10,
    serviceQuotaBytes: 5,
    freeDiskBytes: 10,
    reserveBytes: 1,
    refusesUploads: false,
  };
  const well = {
    pendingMigrations: 0,
    newerMigrations: 0,
    mayRun: true,
    roundTripMs: 1,
    connections: 1,
    maxConnections: 100,
  };
  for (const [part, figures, expected] of [
    ["database", well, []],
    ["database", { ...well, roundTripMs: 501, connections: 91 }, ["database-slow", "connections-short"]],
    ["database", { ...well, newerMigrations: 1, mayRun: false }, ["version-too-old", "migrations-differ"]],
    ["jobs", { running: true, failed: 0, oldestWaitingSeconds: 300 }, []],
    ["jobs", { running: false, failed: 1, oldestWaitingSeconds: 301 }, ["jobs-stopped", "jobs-late", "job-dead"]],
    ["sealing", { missingKeys: 1 }, ["key-missing"]],
    ["sealing", { sealed: false, isAccepted: false }, ["key-unset"]],
    ["sealing", { sealed: false, isAccepted: true }, []],
    ["files", room, []],
    ["files", { ...room, freeDiskBytes: 1, refusesUploads: true }, ["uploads-refused", "disk-short"]],
    ["files", { ...room, "usedBytes reporting": 5 }, ["quota-short"]],
    ["backup", { ageHours: 26, lastFailure: null }, []],
    ["backup", { ageHours: null, lastFailure: null }, ["backup-old"]],
    ["backup", { ageHours: 1, lastFailure: "ENOSPC" }, ["backup-old"]],
    ["retention", { limitedKinds: 0, runAgeHours: 99 }, []],
    ["retention", { limitedKinds: 1, runAgeHours: 27 }, ["retention-late"]],
    ["sign-on", { oidcReached: true, casReached: null }, []],
    ["sign-on", { oidcReached: true, casReached: false }, ["sign-on-away"]],
    ["relay", { running: true, overdueSeconds: 300, flaggedProjects: 0 }, []],
    [
      "relay",
      { running: false, overdueSeconds: 301, flaggedProjects: 1 },
      ["relay-stopped", "pushes-late", "project-flagged"],
    ],
    [
      "payments",
      { overdueSeconds: 301, failingRefunds: 1, mismatchedOrders: 1 },
      ["orders-late", "refunds-refused", "orders-mismatched"],
    ],
  ] as const)
    assert.deepEqual(heldBy(part, figures), expected, part);
});

test("a condition is an alert once it has held for its minutes; of a part that says nothing nobody knows", async () => {
  const ids = ["platform.jobs-late", "platform.part-unread"];
  const late = partOf("jobs", { running: true, oldestWaitingSeconds: 301 });
  parts = [late];
  await look(...ids);
  nowMs += 4 * minute;
  assert.deepEqual(await listSubjects(), ["*"]);
  nowMs += minute;
  await look(...ids);
  assert.deepEqual(await listSubjects(), [""]);
  const [told] = await pool`select says_zh as zh, says_en as en, figures from platform.alert`;
  assert.deepEqual(told, { zh: "部分", en: "The jobs", figures: { oldestWaitingSeconds: 301 } });
  parts = [unread("jobs"), unread("files")];
  nowMs += minute;
  await look(...ids);
  assert.deepEqual(await listSubjects(), ["", "*files", "*jobs"]);
  parts = [partOf("jobs", { running: true, oldestWaitingSeconds: 0 })];
  nowMs += minute;
  await look(...ids);
  assert.deepEqual(await listSubjects(), []);
});

test("a disk is short of one machine; another's alert stays until nobody has looked for a day", async () => {
  const room = (freeDiskBytes: number) => [partOf("files", { freeDiskBytes, reserveBytes: 2 ** 30 })];
  await pool`
    insert into platform.alert (condition, subject, says_zh, says_en, figures, since, seen_at, opened_at)
    values ('platform.disk-short', 'another', '', '', '{}', now(), now(), now())`;
  nowMs += minute;
  parts = room(2 ** 30);
  await look("platform.disk-short");
  assert.deepEqual(await listSubjects(), ["another", hostname()].toSorted());
  parts = room(2 ** 32);
  nowMs += minute;
  await look("platform.disk-short");
  assert.deepEqual(await listSubjects(), ["another"]);
  nowMs += 24 * 60 * minute;
  await look("platform.disk-short");
  assert.deepEqual(await listSubjects(), []);
});

test("jobs that are not tried any more are one alert a task; a condition that fails keeps no other", async () => {
  await pool`select graphile_worker.add_job('paint', max_attempts => 1) from generate_series(1, 3)`;
  await pool`update graphile_worker._private_jobs set attempts = max_attempts`;
  parts = [partOf("jobs", { running: true, failed: 3 })];
  const broken: Condition = {
    name: "broken",
    title: { zh: "", en: "" },
    remedy: { zh: "", en: "" },
    severity: "warning",
    find: () => Promise.reject(new Error("broken")),
  };
  const dead = conditions.filter(({ id }) => id === "platform.job-dead");
  await evaluateConditions([...nameConditions("platform", [broken]), ...dead], {
    platform,
    listParts: async () => parts,
  });
  assert.deepEqual(await listSubjects(), ["paint"]);
  assert.match(logged.join(), /platform\.broken/);
});

test("a project that has failed for days, and one whose pushes wait, until they are paused", async () => {
  const days = platform.settings as unknown as { PUSH_FLAG_DAYS: number };
  await pool`
    insert into push_relay.project (url, name, secret, failing_since)
    values ('http://a.example/', '甲', 'whsec_', now() - ${days.PUSH_FLAG_DAYS + 1} * interval '1 day'),
      ('http://b.example/', '乙', 'whsec_', now() - interval '1 hour')`;
  await pool`
    insert into push_relay.queue (delivery_id, project_id, subject_id, event_id, seq, head, queued_at)
    select id, id, 1, 1, 1, true, now() - interval '31 minutes' from push_relay.project where name = '乙'`;
  parts = [partOf("relay", { flaggedProjects: 1 })];
  const ids = ["push-relay.project-flagged", "push-relay.push-old"];
  await look(...ids);
  const rows = await pool`select condition, says_zh as says, figures from platform.alert order by condition`;
  assert.deepEqual(
    rows.map(({ condition, says, figures }) => [condition, (says as string).slice(0, 5), figures.pending]),
    [
      ["push-relay.project-flagged", "项目“甲”", 0],
      ["push-relay.push-old", "项目“乙”", 1],
    ],
  );
  await pool`update push_relay.project set paused = true`;
  nowMs += minute;
  await look(...ids);
  assert.deepEqual(await listSubjects(), []);
});

test("a hospital is silent from the hour on, through midnight, until it tells; after a week it counts no more", async () => {
  const tell = (hospital: string, day: string) => pool`
    insert into disease_command.fever_clinic (statistics_date, hospital, fever_patients, epidemic_patients)
    values (${day}::text::date, ${hospital}, 1, 0)`;
  await tell("城北医院", "2026-11-20");
  await tell("城南医院", "2026-11-19");
  await tell("城南医院", "2026-11-21");
  await tell("旧医院", "2026-11-01");
  const at = async (time: string) => {
    nowMs = Date.parse(`${time}+08:00`);
    await look("disease-command.hospital-silent");
    return listSubjects();
  };
  assert.deepEqual(await at("2026-11-21T17:59:00"), []);
  assert.deepEqual(await at("2026-11-21T18:00:00"), ["城北医院"]);
  assert.deepEqual(await at("2026-11-22T00:01:00"), ["城北医院"]);
  const [{ count }] = (await pool`select count(*) as count from platform.alert`) as [{ count: number }];
  assert.equal(count, 1);
  await tell("城北医院", "2026-11-22");
  assert.deepEqual(await at("2026-11-22T09:00:00"), []);
  assert.deepEqual(await at("2026-11-22T18:00:00"), ["城南医院"]);
  assert.deepEqual(await at("2026-11-30T18:00:00"), []);
});
