import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { toOldSummary } from "#test/old-systems/old-months.ts";
import { bring, prepare, sorted } from "#test/old-systems/steps.ts";

const app = await startTestApp();
const folder = await mkdtemp(path.join(tmpdir(), "quintet-months-"));
after(() => rm(folder, { recursive: true }));
const given = { seed: 1, count: 9 };
const { token } = await app.signIn("attendance", { isSuper: true });
const read = async (path: string) => (await app.call("GET", `/attendance/month/${path}`, { token })).json;
const months = async () => app.pool<{ month: string; number: number; employees: number }[]>`
  select month, number, version.employees from attendance.version join attendance.month using (month)
  where version.id = version_id order by month`;

test("check names what has no month, and stores nothing", async () => {
  const old = await prepare(folder, "attendance", given);
  assert.deepEqual(sorted((await bring(app, "check", old)).found), sorted(old.faults));
  assert.equal(await app.pool.count`select from attendance.month`, 0);
});

test("the documented reads of a month say what they said there", async () => {
  const old = await prepare(folder, "attendance", given);
  await bring(app, "run", old);
  const expected = [2, 4, 6, 8]
    .map((n) => toOldSummary(n))
    .toSorted((a, b) => (String(a["department"]) < String(b["department"]) ? -1 : 1));
  const { data } = await read("downLoad?month=2022-06");
  assert.deepEqual(new Set(data as unknown[]), new Set(expected));
  assert.deepEqual(Object.keys((data as object[])[0] ?? {}), Object.keys(toOldSummary(2)));
  assert.deepEqual((await read("downLoad")).data, data, "the last of them is the month that is meant");
  assert.equal((await read("queryAnalyseStatu?month=2022-05")).data.statu, 2);
  assert.equal((await read("title?month=2022-05")).data.id, 202205);
  assert.deepEqual(await months(), [
    { month: "2022-05", number: 1, employees: 4 },
    { month: "2022-06", number: 1, employees: 4 },
  ]);
  const { said } = await bring(app, "compare", old);
  assert.match(
    said[0] ?? "",
    /9 read, 8 identical, 1 refused, 0 missing, 0 changed in the old system, 0 changed in Quintet/,
  );
});

test("again locks a month anew that has changed there, and leaves one that was unlocked here", async () => {
  assert.equal((await read("analyse?month=2022-05")).success, false, "an analysis would leave nothing of it");
  const body = { month: "2022-06", reason: "a look" };
  assert.equal((await app.call("PUT", "/attendance/month/unlock", { token, body })).status, 200);
  const old = await prepare(folder, "attendance", { ...given, changed: 2 });
  const { said } = await bring(app, "again", old);
  assert.match(said[0] ?? "", /2 changed, 6 unchanged, 1 refused/);
  assert.deepEqual(await months(), [{ month: "2022-05", number: 2, employees: 4 }]);
});

test("months that are here of their own stay, and a table of one month is told which", async () => {
  const other = await startTestApp();
  const old = await prepare(folder, "attendance", given);
  const map = await readFile(old.map, "utf8");
  await writeFile(
    old.map,
    map.replace(/^ {6}month: .*\n/m, "").replace(/^( {4})unplaced/m, "$1values: {month: 2022年6月}\n$1unplaced"),
  );
  await other.pool`insert into attendance.month (month) values ('2022-06')`;
  await other.pool`
    insert into attendance.result (month, row, name, user_id, work_number, group_name, department, data, warnings)
    values ('2022-06', 1, '', '', '', '', '', '{}', '[]')`;
  const { found } = await bring(other, "run", old);
  assert.equal(found.filter(([, , rule, field]) => rule === "refused" && field === "month").length, given.count);
  assert.equal(await other.pool.count`select from attendance.result`, 1);
});
