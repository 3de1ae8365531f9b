import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { cutMonths } from "#test/attendance/cut-months.ts";
import { coveredRuns } from "#test/attendance/plain-sheets.ts";
import { makeMonth } from "#test/attendance/workbooks.ts";

// Exports of some days each, cut anywhere and imported in any order, together and while something else goes on.

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const attendance = await openAttendance(app, token);
const { get, send, analyse } = attendance;

const generation = 2026;
const download = async (month: string): Promise<unknown[]> => (await get("downLoad", { month })).json.data;
const status = async (month: string) => (await get("queryAnalyseStatu", { month })).json.data;

test("weekly exports of a month, cut anywhere and imported in any order, give what the whole month gives", async (t) => {
  const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`SEED=${seed}`);
  await cutMonths({ attendance, seed, rounds: Number(process.env["RUNS"] ?? 1) });
});

test("eleven imports of some days each are a month", async () => {
  const month = "2025-07";
  const made = makeMonth({ month, people: 6, seed: 9, generation });
  for (let day = 31; day >= 1; day -= 3) {
    const cut = made.cut(Math.max(1, day - 2), day);
    assert.equal((await send("month", [cut.monthSheet, cut.dailySheet])).json.code, "0");
    await send("original", [cut.originalSheet], { allowEmpty: "true" });
  }
  assert.deepEqual((await status(month)).covered, [
    ...coveredRuns(month, "month", [1, 31]),
    ...coveredRuns(month, "daily", [1, 31]),
    ...coveredRuns(month, "original", [1, 31]),
  ]);
  await analyse(month);
  const daily = await download(month);
  await send("month", [made.monthSheet, made.dailySheet]);
  await send("original", [made.originalSheet]);
  await analyse(month);
  assert.deepEqual(daily, await download(month));
  // Those that nothing names any more go.
  await app.pool`select graphile_worker.add_job('attendance-sweep')`;
  const left = async () => (await app.pool`select from attendance.import where month = ${month} and holds_rows`).length;
  for (const started = performance.now(); (await left()) !== 2;)
    assert.ok(performance.now() - started < 60_000, "rows that no month names are left");
});

test("two weekly exports at once are both there", async () => {
  const month = "2025-08";
  const made = makeMonth({ month, people: 30, seed: 4, generation });
  const weeks = [made.cut(1, 7), made.cut(8, 14), made.cut(15, 21), made.cut(22, 31)];
  const answers = await Promise.all(
    weeks.flatMap((week) => [send("month", [week.monthSheet]), send("original", [week.originalSheet])]),
  );
  assert.ok(answers.every(({ json }) => json.code === "0"));
  await analyse(month);
  const parts = await download(month);
  await send("month", [made.monthSheet]);
  await send("original", [made.originalSheet]);
  await analyse(month);
  assert.deepEqual(parts, await download(month));
});

test("a month imported while it is analysed is analysed whole or not at all", async () => {
  const month = "2025-09";
  const made = makeMonth({ month, people: 260, seed: 5, generation });
  const [first, second] = [made.cut(1, 15), made.cut(16, 30)];
  await send("month", [first.monthSheet]);
  await send("original", [first.originalSheet]);
  await get("analyse", { month });
  await send("month", [second.monthSheet]);
  await send("original", [second.originalSheet]);
  assert.deepEqual([(await status(month)).statu, (await get("downLoad", { month })).json.code], [0, "10005"]);
  await analyse(month);
  const parts = await download(month);
  await send("month", [made.monthSheet]);
  await send("original", [made.originalSheet]);
  await analyse(month);
  assert.deepEqual(parts, await download(month));
});
