import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { pino } from "pino";
import { inTransaction } from "#platform/database/index.ts";
import { retained as tuition } from "#services/tuition-payment/person-store.ts";
import { startTestApp } from "#test/app.ts";
import { startCommand } from "#test/crash/server.ts";
import { meetWaiting } from "#test/meeting.ts";
import { sampleReport } from "#test/sample-report.ts";
import { countOld, removalTasks, removeOld } from "./removal.ts";
import { openPlatform } from "./serve.ts";
import { readSettings } from "./settings.ts";

const feedbackKind = () => tuition.find(({ kind }) => kind === "feedback") ?? assert.fail("there is no such kind");

const limits = {
  REPORTING_KEEP_DAYS: "100",
  ATTENDANCE_KEEP_CARD_DAYS: "100",
  ATTENDANCE_KEEP_DAYS: "400",
  TUITION_KEEP_FEEDBACK_DAYS: "100",
  TUITION_KEEP_UNPAID_DAYS: "100",
};
const app = await startTestApp({ settings: limits });
const { pool } = app;
const { token } = await app.signIn("platform");
const settings = readSettings({ DATA_DIR: app.dataDir, ...limits });
const remove = (by = "test") => removeOld(pool, settings, Date.now(), by);
const list = async (query: PromiseLike<readonly object[]>): Promise<unknown[]> =>
  (await query).map((row) => Object.values(row)[0]);
const auditLines = async () =>
  (
    await pool<{ user: string; detail: object; action: string }[]>`
    select user_name as user, detail, action from platform.audit where action = 'removeOld' order by id`
  ).map(({ user, detail }) => [user, detail]);

const pdf = Buffer.from("%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n");

async function submit(name: string, state: "open" | "closed" | "deleted", days: number, file?: string): Promise<void> {
  const { json } = await app.call("POST", "/reporting/informationReporting/add", {
    body: sampleReport({ name, ...(file === undefined ? {} : { file }) }),
  });
  assert.equal(json.code, "0", json.message);
  await pool`
    update reporting.report set closed = ${state === "closed"}, deleted = ${state === "deleted"},
      updated_at = now() - make_interval(days => ${days}) where name = ${name}`;
}

const upload = async (): Promise<string> =>
  (await app.call("POST", "/reporting/file/fileUpDown", { file: ["a.pdf", pdf] })).json.data;

const addFeedback = (name: string, count: number, days: number | null) => pool`
  insert into tuition_payment.feedback (card_number, name, phone, info, processed_at)
  select 'F' || n, ${name}, '555 0100', 'x', now() - make_interval(days => ${days}) from generate_series(1, ${count}) as n`;

async function addOrder(no: string, status: "closed" | "paid", days: number, receivedFen: number | null = null) {
  await pool`
    insert into tuition_payment.pay_order (order_no, card_number, student_no, student_name, grade, amount_fen, status, expires_at,
      closed_at, paid_at, received_fen, received_at, gateway)
    values (${no}, 'S1', 'S1', '李示例', '2022', 600000, ${status}, now(), now() - make_interval(days => ${days}),
      ${status === "paid" ? new Date() : null}, ${receivedFen}, ${receivedFen && new Date()}, 'simulated')`;
}

/** Adds a month with one employee. `importId` is the import of identity cards that the month was calculated with. */
async function addMonth(month: string, { importId, locked = false }: { importId: number; locked?: boolean }) {
  await pool`
    insert into attendance.month (month, statu, work_import, imported_at) values (${month}, 2, ${importId}, now())`;
  const data = JSON.stringify({ workName: "x", idCard: "", userId: month });
  await pool`
    insert into attendance.result (month, row, name, user_id, work_number, group_name, department, data, id_card, warnings)
    values (${month}, 1, '李示例', ${month}, '', '', '', ${data}, 'A1', '[]')`;
  if (!locked) return;
  await pool`
    with kept as (
      insert into attendance.version (month, number, note, employees, settings, units, covered, warnings, locked_by)
      values (${month}, 1, '', 1, '{}', '{}', '[]', '[]', 'x') returning id)
    update attendance.month set version_id = kept.id from kept where month = ${month}`;
}

const addIdentities = async (): Promise<number> => {
  const [row] = await pool<{ id: number }[]>`
    insert into attendance.import (sheet, file_name, bytes_total, ended_at, outcome) values ('work', 'x', 1, now(), 'done') returning id`;
  const id = row?.id ?? 0;
  await pool`
    insert into attendance.identity (import_id, row, name, user_id, work_number, id_card) values (${id}, 1, '李示例', '', '', 'A1')`;
  return id;
};
const monthEnded = (days: number): string => {
  const at = new Date(Date.now() - days * 86_400_000);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);
};
const cardsOfMonths = () => list(pool`select month || ' ' || id_card from attendance.result order by month`);

const noNotices = { service: "platform", kind: "notice", removed: 0 };

test("without a setting nothing goes, however old", async () => {
  await submit("old", "closed", 30_000);
  await addFeedback("old", 1, 30_000);
  const forEver = readSettings({ DATA_DIR: app.dataDir });
  // Notices expire even if no setting limits how long records are kept.
  assert.deepEqual(await countOld(pool, forEver, Date.now()), [noNotices]);
  assert.deepEqual(await removeOld(pool, forEver, Date.now(), "test"), []);
  assert.deepEqual(await list(pool`select name from reporting.report`), ["old"]);
  assert.deepEqual(await auditLines(), []);
  await pool`delete from reporting.report`;
  await pool`delete from tuition_payment.feedback`;
});

test("of each kind what is old enough goes, and what is a day too young, open, unanswered, paid or locked stays", async () => {
  const file = await upload();
  await submit("closed", "closed", 101, file);
  await submit("deleted", "deleted", 101);
  await submit("young", "closed", 99);
  await submit("open", "open", 101);
  await addFeedback("answered", 1, 101);
  await addFeedback("young", 1, 99);
  await addFeedback("unanswered", 1, null);
  for (const [no, status, days, received] of [
    ["OLD0001", "closed", 101, null],
    ["YOUNG01", "closed", 99, null],
    ["PAID001", "paid", 101, null],
    ["WRONG01", "closed", 101, 5],
  ] as const)
    await addOrder(no, status, days, received);
  const [first, second, newest] = [await addIdentities(), await addIdentities(), await addIdentities()];
  const [ancient, locked, old, young] = [monthEnded(500), monthEnded(460), monthEnded(200), monthEnded(20)];
  await addMonth(ancient, { importId: first });
  await addMonth(locked, { importId: newest, locked: true });
  await addMonth(old, { importId: second });
  await addMonth(young, { importId: newest });
  const found = await countOld(pool, settings, Date.now());
  const expected = [
    noNotices,
    { service: "reporting", kind: "report", removed: 2 },
    { service: "attendance", kind: "identity card", removed: 2 },
    { service: "attendance", kind: "imported identity card", removed: 2 },
    { service: "attendance", kind: "month", removed: 1 },
    { service: "tuition-payment", kind: "feedback", removed: 1 },
    { service: "tuition-payment", kind: "unpaid order", removed: 1 },
  ];
  assert.deepEqual(found, expected);
  assert.equal((await list(pool`select name from reporting.report`)).length, 4, "who only counts removes nothing");
  const platform = await openPlatform(settings, pool, pino({ level: "silent" }));
  for (const run of Object.values(removalTasks(platform).tasks)) await run();
  assert.deepEqual(await list(pool`select name from reporting.report order by id`), ["young", "open"]);
  assert.deepEqual(await list(pool`select name from tuition_payment.feedback order by id`), ["young", "unanswered"]);
  assert.deepEqual(await list(pool`select order_no from tuition_payment.pay_order where student_no is null`), [
    "OLD0001",
  ]);
  assert.deepEqual(await cardsOfMonths(), [`${locked} A1`, `${old} `, `${young} A1`]);
  assert.deepEqual(await list(pool`select id_card from attendance.identity order by import_id`), ["", "", "A1"]);
  assert.equal((await app.call("GET", new URL(file, app.url).pathname, { token })).status, 404);
  const total = (await app.call("GET", "/reporting/informationReporting/list", { token })).json.data.totalCount;
  assert.equal(total, 2);
  const detail = Object.fromEntries(
    expected.slice(1).map(({ service, kind, removed }) => [`${service}: ${kind}`, removed]),
  );
  assert.deepEqual(await auditLines(), [["(retention)", detail]]);
  assert.deepEqual(await remove(), []);
  assert.equal((await auditLines()).length, 1, "a run that removes nothing has no line");
});

test("health says how many kinds have a limit, when the last run was and what it has removed", async () => {
  await addFeedback("answered", 3, 101);
  await remove();
  const { parts } = (await app.call("GET", "/platform/health", { token })).json.data;
  const { state, figures } = parts.find(({ name }: { name: string }) => name === "retention");
  assert.deepEqual([state, figures], ["ok", { limitedKinds: 7, runAgeHours: 0, lastRemoved: 3 }]);
  await pool`update platform.retention set ended_at = now() - interval '27 hours'`;
  const later = (await app.call("GET", "/platform/health", { token })).json.data.parts;
  assert.equal(later.find(({ name }: { name: string }) => name === "retention").state, "degraded");
});

const command = (...args: string[]) =>
  startCommand(
    ["retention", ...args],
    { DATABASE_URL: app.database.url, DATA_DIR: app.dataDir, ...limits },
    app.dataDir,
  );
const countFeedback = async () =>
  (await list(pool`select count(*) from tuition_payment.feedback where name = 'many'`))[0];

test("a table is gone over once: what stays is passed over, and what somebody is at is left to the next run", async () => {
  await addFeedback("waits", 20_500, null);
  await addFeedback("first", 600, 101);
  await addFeedback("waits", 300, null);
  await addFeedback("last", 1, 101);
  const kind = feedbackKind();
  const [held] = await pool<{ id: number }[]>`select min(id) as id from tuition_payment.feedback where name = 'first'`;
  const steps: { after: string | null; removed: number }[] = [];
  await inTransaction(pool, async (other) => {
    await other`select from tuition_payment.feedback where id = ${held?.id ?? 0} for update`;
    for (let after: string | null = ""; after !== null && steps.length < 20; after = steps.at(-1)?.after ?? null) {
      const place = { after, most: 500 };
      steps.push(await inTransaction(pool, (tx) => kind.remove(tx, new Date(Date.now() - 100 * 86_400_000), place)));
    }
  });
  const removed = steps.map((step) => step.removed);
  const ends = steps.map(({ after }) => Number(after));
  assert.deepEqual([removed.includes(500), removed.reduce((sum, one) => sum + one)], [true, 600]);
  assert.deepEqual(
    ends.slice(0, -1),
    [...new Set(ends.slice(0, -1))].toSorted((a, b) => a - b),
    "no step goes back",
  );
  assert.ok(steps.length < 8, `${steps.length} steps`);
  assert.equal((await remove()).find(({ kind: name }) => name === "feedback")?.removed, 1);
  assert.deepEqual(
    await list(pool`select distinct name from tuition_payment.feedback where name <> 'waits' order by name`),
    ["unanswered", "young"],
  );
  await pool`delete from tuition_payment.feedback where name = 'waits'`;
});

test("killed in the middle it goes on, and two at once count every record once", async () => {
  await addFeedback("many", 1200, 101);
  const dry = command("--dry");
  assert.equal((await dry.ended).code, 0, dry.output().err);
  assert.match(dry.output().out, /tuition-payment, feedback: 1200 would be deleted/);
  // This trigger stops the second batch within its transaction until the process has been killed.
  await pool`
    create function public.wait_here() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(77); return new; end'`;
  await pool`
    create trigger wait_here before update on platform.retention for each row when (new.untold > 500)
      execute function public.wait_here()`;
  await inTransaction(pool, async (tx) => {
    await tx`select pg_advisory_xact_lock(77)`;
    const killed = command();
    while ((await countFeedback()) !== 700) await wait(20);
    await meetWaiting(pool, 1);
    killed.child.kill("SIGKILL");
    await killed.ended;
  });
  await pool`drop trigger wait_here on platform.retention`;
  assert.equal(await countFeedback(), 700);
  const before = (await auditLines()).length;
  await Promise.all([remove("one"), remove("two")]);
  assert.equal(await countFeedback(), 0);
  const told = (await auditLines()).slice(before).map(([, detail]) => detail as Record<string, number>);
  assert.equal(
    told.reduce((sum, detail) => sum + (detail["tuition-payment: feedback"] ?? 0), 0),
    1200,
  );
  assert.deepEqual(await list(pool`select sum(untold)::int from platform.retention`), [0]);
});
