import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import {
  coveredRuns,
  dayOf,
  lineOf,
  plainPunches,
  plainSummary,
  punchesOf,
  someone,
} from "#test/attendance/plain-sheets.ts";
import { pick } from "#test/pick.ts";
import { makeMonth, monthSheet, removeTitleRows } from "#test/attendance/workbooks.ts";

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, analyse } = await openAttendance(app, token);

type Row = Record<string, string | number>;
const download = async (month: string): Promise<Row[]> => (await get("downLoad", { month })).json.data;
const status = async (month: string) => (await get("queryAnalyseStatu", { month })).json.data;

describe("a range that the workbook covers", () => {
  test("is replaced, and the other days are kept", async () => {
    const month = "2026-07";
    const first = (await send("original", [plainPunches(month, 1, 14)])).json.data;
    assert.deepEqual(first.covered, coveredRuns(month, "original", [1, 14]));
    const second = (await send("original", [plainPunches(month, 8, 21, punchesOf(month, 8, 9))])).json.data;
    assert.deepEqual(second.covered, coveredRuns(month, "original", [1, 21]));
    await send("month", [plainSummary(month, 1, 31)]);
    assert.equal((await analyse(month)).statu, 2);
    const [row] = await download(month);
    assert.equal(row?.["attendanceDays"], 9, "seven days of the first, two of the second");
    assert.deepEqual((await status(month)).covered, [
      ...coveredRuns(month, "month", [1, 31]),
      ...coveredRuns(month, "original", [1, 21]),
    ]);
    const listed = (await get("months")).json.data.find((each: { month: string }) => each.month === month);
    assert.deepEqual(listed.covered, (await status(month)).covered);
  });

  test("without a title goes from its first row to its last, or is the whole month where that is meant", async () => {
    const month = "2026-08";
    const untitled = removeTitleRows(plainPunches(month, 1, 31, punchesOf(month, 3, 9)));
    for (const fields of [{}, { month }])
      assert.deepEqual(
        (await send("original", [untitled], fields)).json.data.covered,
        coveredRuns(month, "original", [3, 9]),
      );
    const answer = (await send("original", [untitled], { month, whole: "true" })).json.data;
    assert.deepEqual(answer.covered, coveredRuns(month, "original", [1, 31]));
  });

  test("without a title, of one week, leaves the other days of the month as they were", async () => {
    const month = "2026-12";
    await send("month", [plainSummary(month, 1, 31)]);
    const week = removeTitleRows(plainSummary(month, 10, 16));
    const answer = (await send("month", [week], { month })).json.data;
    const spans = () => app.pool`
      select to_char(first_day, 'DD') || '-' || to_char(last_day, 'DD') as days from attendance.span
      where month = ${month} and sheet = 'month' order by first_day`;
    assert.deepEqual(pick(await spans(), "days"), ["01-09", "10-16", "17-31"]);
    assert.deepEqual(answer.covered, coveredRuns(month, "month", [1, 31]));
    await send("month", [week], { month, whole: "true" });
    assert.deepEqual(pick(await spans(), "days"), ["01-31"]);
  });

  test("and that holds no row changes nothing, unless that is meant", async () => {
    const month = "2026-03";
    await send("original", [plainPunches(month, 1, 31, punchesOf(month, 2, 6))]);
    const empty = plainPunches(month, 1, 31, []);
    const refused = await send("original", [empty]);
    assert.deepEqual([refused.status, refused.json.code], [400, "10030"]);
    const punches = async () =>
      (await get("months")).json.data.find((each: { month: string }) => each.month === month).punches;
    assert.equal(await punches(), 5);
    assert.equal((await send("original", [empty], { allowEmpty: "true" })).json.code, "0");
    assert.equal(await punches(), 0);
    assert.equal((await send("original", [empty], { allowEmpty: "perhaps" })).json.code, "10001");
  });

  test("and that the month sent does not touch is refused", async () => {
    const month = "2026-02";
    for (const [to, sheet] of [
      ["month", plainSummary("2026-01", 1, 31)],
      ["original", plainPunches("2026-01", 1, 31)],
      ["original", removeTitleRows(plainPunches("2026-01", 1, 31))],
    ] as const) {
      const { json } = await send(to, [sheet], { month });
      assert.equal(json.code, "10030", json.message);
    }
    assert.ok(!(await get("months")).json.data.some((each: { month: string }) => each.month === month));
  });

  test("does not take rows of other days that somebody put in, which is told", async () => {
    const month = "2026-01";
    const answer = (await send("original", [plainPunches(month, 1, 7, punchesOf(month, 1, 9))])).json.data;
    assert.match(answer.waring, /原始记录有 2 行不在统计日期 01-01 至 01-07 之内，未计入/);
    await send("month", [plainSummary(month, 1, 31)]);
    await analyse(month);
    assert.equal((await download(month))[0]?.["attendanceDays"], 7);
  });
});

test("people whom one sheet has and another lacks are told on import, both ways", async () => {
  const month = "2025-03";
  const other = { ...someone, name: "明远", userId: "220000000000000001", workNumber: "" };
  await send("month", [plainSummary(month, 1, 31)]);
  const sheet = plainPunches(month, 1, 31, punchesOf(month, 3, 4, other));
  const { waring } = (await send("original", [sheet])).json.data;
  assert.match(waring, /^原始记录中有 1 人无法对应到月度汇总：明远$/m);
  assert.match(waring, /^月度汇总中有 1 人不在原始记录中：安宁$/m);
  assert.ok((await status(month)).waring.includes("原始记录中有 1 人无法对应到月度汇总"), "before it is analysed, too");
  assert.match((await analyse(month)).waring, /^原始记录中有 1 人无法对应到月度汇总：明远$/m);
});

test("days that only one of the two sheets has are not analysed as if they met", async () => {
  const month = "2026-10";
  await send("month", [
    monthSheet({
      generation: 2026,
      start: dayOf(month, 5),
      end: dayOf(month, 11),
      lines: [{ ...lineOf(7, {}), days: ["普通出勤:下班缺卡\n(08:20,-)"] }],
    }),
  ]);
  await send("original", [plainPunches(month, 12, 16)]);
  const { waring } = await analyse(month);
  assert.match(waring, /月度汇总与原始记录没有共同的日期/);
  assert.match(waring, /月度汇总未覆盖 10-01 至 10-04、10-12 至 10-31/);
  assert.match(waring, /原始记录未覆盖 10-01 至 10-11、10-17 至 10-31/);
  const [row] = await download(month);
  assert.deepEqual([row?.["attendanceDays"], row?.["recondOfcardShortageInHuangjiahu"]], [0, ""]);
  await send("original", [plainPunches(month, 5, 11)]);
  await analyse(month);
  assert.equal((await download(month))[0]?.["attendanceDays"], 7);
});

test("two weekly exports at once are both there", async () => {
  const month = "2025-08";
  const made = makeMonth({ month, people: 6, seed: 4, generation: 2026 });
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
  const made = makeMonth({ month, people: 40, seed: 5, generation: 2026 });
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
