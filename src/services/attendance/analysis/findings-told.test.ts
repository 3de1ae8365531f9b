import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { openAttendance, waitUntil } from "#test/attendance/calls.ts";
import { type IdentityLine, identitySheet, makeMonth, monthSheet, originalSheet } from "#test/attendance/workbooks.ts";

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, analyse } = await openAttendance(app, token);

const generation = 2026;
const month = "2026-05";
const range = { generation, start: `${month}-01`, end: `${month}-31` } as const;
const made = makeMonth({ month, people: 70, seed: 3, generation });

test("day results that no rule knows are told on import and in the list of what is unmatched", async () => {
  const [first, second] = made.monthLines;
  assert.ok(first && second);
  const strange = [first, second].map((line, index) => ({
    ...line,
    days: line.days.map((cell, day) => (day <= index ? "普通出勤:月球漫步\n(08:20,18:05)" : cell)),
  }));
  const sheet = monthSheet({ ...range, lines: [...strange, ...made.monthLines.slice(2)] });
  const { waring } = (await send("month", [sheet])).json.data;
  const examples = [`${first.name} ${month}-01`, `${second.name} ${month}-01`, `${second.name} ${month}-02`];
  assert.match(waring, new RegExp(`月球漫步.*3 次，如 ${examples.join("、")}`));
  const { data } = (await get("unmatched", { month })).json;
  const [found] = data.results;
  assert.deepEqual([found.sheet, found.count, found.examples], ["月度汇总", 3, examples]);
  assert.match(found.result, /月球漫步/);
});

test("a sheet that the rules know has no such warning", async () => {
  const { waring } = (await send("month", [made.monthSheet])).json.data;
  assert.doesNotMatch(waring, /未知/);
});

test("what the analysis finds odd is told with the status, the first fifty and how many are left", async () => {
  // Late by its result, and before the scheduled minute by its time.
  const lines = made.employees.map((employee) => ({
    ...employee,
    day: `${month}-04`,
    scheduled: `${month}-04 08:30`,
    time: `${month}-04 08:20`,
    result: "迟到",
    address: "黄家湖校区_14757",
  }));
  await send("original", [originalSheet({ ...range, lines: [...lines] })]);
  const { statu, waring } = await analyse(month);
  assert.equal(statu, 2);
  const told = waring.split("\n").filter((line) => /05-04 标为迟到或早退，但与考勤时间不符/.test(line));
  assert.equal(told.length, 50);
  const [counted] = await app.pool<{ count: number }[]>`
    select sum(json_array_length(warnings))::int as count from attendance.result where month = ${month}`;
  assert.match(waring, new RegExp(`另有 ${(counted?.count ?? 0) - 50} 条提醒$`));
  const last = made.employees.at(-1);
  const { data } = (await get("explain", { month, userId: last?.userId })).json;
  assert.match(
    data.waring,
    new RegExp(`^${last?.name}：05-04 标为迟到或早退，但与考勤时间不符`, "m"),
    "the rest is with each",
  );
  assert.ok(!waring.includes(data.waring));
});

test("a finished month keeps the identity cards that it was joined to, whatever list arrives for another", async () => {
  const [someone] = made.identityLines;
  assert.ok(someone);
  const idCard = async () => (await get("explain", { month, userId: someone.userId })).json.data.row.idCard as string;
  const listOf = (lines: IdentityLine[]) => [identitySheet(lines)];
  await send("work", listOf([...made.identityLines]), { month: "2026-03" });
  assert.equal((await analyse(month)).statu, 2);
  assert.equal(await idCard(), someone.idCard);
  const others = made.identityLines.slice(1);
  for (const newer of ["2026-03", "2026-04"])
    assert.equal((await send("work", listOf(others), { month: newer })).json.code, "0");
  // The list of 2026-03 that was replaced is named by the finished month alone; another such is swept away.
  await send("work", listOf(others), { month: "2026-03" });
  await app.pool`select graphile_worker.add_job('attendance-sweep')`;
  const swept = async () =>
    (await app.pool`select from attendance.import where sheet = 'work' and not holds_rows`).length;
  await waitUntil(async () => (await swept()) > 0);
  assert.equal(await idCard(), someone.idCard);
  const preview = await app.call("POST", "/attendance/month/settings/preview", { token, body: { month } });
  assert.equal(preview.json.data.changed, 0);
  assert.equal((await analyse(month)).statu, 2);
  assert.equal(await idCard(), "", "a new analysis joins the newest list");
});
