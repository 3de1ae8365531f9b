import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import {
  type Generation,
  makeMonth,
  type MonthLine,
  monthSheet,
  originalSheet,
  type PunchLine,
  removeTitleRows,
} from "#test/attendance/workbooks.ts";

// A month out of several exports: which days each gives, what is added up, and what is told of it.

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, analyse } = await openAttendance(app, token);

const generation = 2026;
const two = (day: number) => String(day).padStart(2, "0");
const dayOf = (month: string, day: number) => `${month}-${two(day)}`;
const covered = (month: string, sheet: string, ...ranges: [number, number][]) =>
  ranges.map(([from, to]) => ({ sheet, from: dayOf(month, from), to: dayOf(month, to) }));

type Row = Record<string, string | number>;
const download = async (month: string): Promise<Row[]> => (await get("downLoad", { month })).json.data;
const status = async (month: string) => (await get("queryAnalyseStatu", { month })).json.data;

/** A plain employee, and the lines of the sheets that say that they were there from one day to another. */
const someone = {
  name: "安宁",
  group: "全校考勤",
  department: "教务处",
  workNumber: "00042",
  position: "",
  userId: "123456789012345678",
};
const punchesOf = (month: string, first: number, last: number, who = someone): PunchLine[] =>
  Array.from({ length: last - first + 1 }, (_, index) => {
    const day = dayOf(month, first + index);
    return {
      ...who,
      day,
      scheduled: `${day} 08:30`,
      time: `${day} 08:20`,
      result: "正常",
      address: "黄家湖校区_14757",
    };
  });
const lineOf = (days: number, figures: MonthLine["figures"], who = someone): MonthLine => ({
  ...who,
  figures,
  days: Array.from({ length: days }, () => "普通出勤:正常\n(08:20,18:05)"),
});
const original = (month: string, first: number, last: number, lines = punchesOf(month, first, last)) =>
  originalSheet({ generation, start: dayOf(month, first), end: dayOf(month, last), lines });
const summary = (month: string, first: number, last: number, figures: MonthLine["figures"] = {}, who = someone) =>
  monthSheet({
    generation,
    start: dayOf(month, first),
    end: dayOf(month, last),
    lines: [lineOf(last - first + 1, figures, who)],
  });

test("weekly exports of a month, cut anywhere and imported in any order, give what the whole month gives", async (t) => {
  const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`SEED=${seed}`);
  const month = "2026-06";
  const days = 30;
  const plan = fc.record({
    form: fc.constantFrom<Generation>(2020, 2026),
    people: fc.integer({ min: 1, max: 12 }),
    seed: fc.integer({ min: 1, max: 1000 }),
    cuts: fc.uniqueArray(fc.integer({ min: 2, max: days }), { maxLength: 5 }),
    order: fc.infiniteStream(fc.nat()),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ form, people, seed: monthSeed, cuts, order }) => {
      const made = makeMonth({ month, people, seed: monthSeed, generation: form });
      await send("month", [made.monthSheet, made.dailySheet]);
      await send("original", [made.originalSheet]);
      assert.equal((await analyse(month)).statu, 2);
      const whole = await download(month);
      const starts = [1, ...cuts.toSorted((left, right) => left - right)];
      const pieces = starts.map((first, index) => made.cut(first, (starts[index + 1] ?? days + 1) - 1));
      const luck = order[Symbol.iterator]();
      const sends = pieces
        .flatMap(({ monthSheet: sheet, dailySheet, originalSheet: punches }) => [
          { to: "month" as const, sheets: [sheet, dailySheet] },
          { to: "original" as const, sheets: [punches] },
        ])
        .map((each) => ({ ...each, place: luck.next().value as number }))
        .toSorted((left, right) => left.place - right.place);
      for (const { to, sheets } of sends) {
        const { json } = await send(to, sheets, { allowEmpty: "true" });
        assert.equal(json.code, "0", json.message);
      }
      assert.equal((await analyse(month)).statu, 2);
      assert.deepEqual(await download(month), whole);
    }),
    { numRuns: Number(process.env["RUNS"] ?? 5), seed },
  );
});

describe("a range that the workbook covers", () => {
  test("is replaced, and the other days are kept", async () => {
    const month = "2026-07";
    const first = (await send("original", [original(month, 1, 14)])).json.data;
    assert.deepEqual(first.covered, covered(month, "original", [1, 14]));
    const second = (await send("original", [original(month, 8, 21, punchesOf(month, 8, 9))])).json.data;
    assert.deepEqual(second.covered, covered(month, "original", [1, 21]));
    await send("month", [summary(month, 1, 31)]);
    assert.equal((await analyse(month)).statu, 2);
    const [row] = await download(month);
    assert.equal(row?.["attendanceDays"], 9, "seven days of the first, two of the second");
    assert.deepEqual((await status(month)).covered, [
      ...covered(month, "month", [1, 31]),
      ...covered(month, "original", [1, 21]),
    ]);
    const listed = (await get("months")).json.data.find((each: { month: string }) => each.month === month);
    assert.deepEqual(listed.covered, (await status(month)).covered);
  });

  test("without a title goes from its first row to its last, or is the whole month where that is said", async () => {
    const month = "2026-08";
    const untitled = removeTitleRows(original(month, 1, 31, punchesOf(month, 3, 9)));
    assert.deepEqual((await send("original", [untitled])).json.data.covered, covered(month, "original", [3, 9]));
    const answer = (await send("original", [untitled], { month })).json.data;
    assert.deepEqual(answer.covered, covered(month, "original", [1, 31]));
  });

  test("and that holds no row changes nothing, unless that is meant", async () => {
    const month = "2026-03";
    await send("original", [original(month, 1, 31, punchesOf(month, 2, 6))]);
    const empty = original(month, 1, 31, []);
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
      ["month", summary("2026-01", 1, 31)],
      ["original", original("2026-01", 1, 31)],
      ["original", removeTitleRows(original("2026-01", 1, 31))],
    ] as const) {
      const { json } = await send(to, [sheet], { month });
      assert.equal(json.code, "10030", json.message);
    }
    assert.ok(!(await get("months")).json.data.some((each: { month: string }) => each.month === month));
  });

  test("leaves days between and behind, which are told", async () => {
    const month = "2025-04";
    await send("month", [summary(month, 1, 7)]);
    const { waring } = (await send("month", [summary(month, 15, 20)])).json.data;
    assert.match(waring, /月度汇总.*04-08 至 04-14、04-21 至 04-30/);
  });
});

describe("copied figures", () => {
  test("of ranges inside the month are added up, numbers and durations alike", async () => {
    const month = "2020-09";
    const sheet = (first: number, last: number, figures: MonthLine["figures"]) =>
      monthSheet({
        generation: 2020,
        start: dayOf(month, first),
        end: dayOf(month, last),
        lines: [lineOf(7, figures)],
      });
    await send("month", [sheet(1, 7, { attendanceDay: 5, workHours: "42小时30分钟", privateAffairLeaveDay: 0.5 })]);
    await send("month", [sheet(8, 14, { attendanceDay: 4, workHours: "1小时43分钟", privateAffairLeaveDay: 0.25 })]);
    await send("original", [original(month, 1, 14)]);
    await analyse(month);
    const [row, ...others] = await download(month);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [row?.["attendanceDay"], row?.["workHours"], row?.["privateAffairLeaveDay"], row?.["restDay"]],
      ["9", "44小时13分钟", "0.75", "0"],
    );
    const { data } = (await get("explain", { month, userId: someone.userId })).json;
    const figure = data.figures.find(({ field }: { field: string }) => field === "workHours");
    assert.deepEqual(
      figure.entries[0].evidence.map(({ text }: { text: string }) => text),
      ["42小时30分钟", "1小时43分钟"],
    );
  });

  test("of ranges that overlap are the newest's, with a warning", async () => {
    const month = "2026-04";
    await send("month", [summary(month, 1, 7, { attendanceDay: "5" })]);
    const { waring } = (await send("month", [summary(month, 6, 12, { attendanceDay: "4" })])).json.data;
    assert.match(waring, /04-01 至 04-07.*重叠/);
    await analyse(month);
    assert.equal((await download(month))[0]?.["attendanceDay"], "4");
    // The first week once more, without the days that both had.
    assert.doesNotMatch((await send("month", [summary(month, 1, 5, { attendanceDay: "3" })])).json.data.waring, /重叠/);
    await analyse(month);
    assert.equal((await download(month))[0]?.["attendanceDay"], "7");
  });

  test("of a range beyond the month stand whole only by themselves, and are told", async () => {
    const month = "2026-09";
    const crossing = () =>
      monthSheet({
        generation,
        start: "2026-08-24",
        end: "2026-09-06",
        lines: [lineOf(14, { attendanceDay: "10" })],
      });
    assert.equal((await send("month", [crossing()])).json.code, "10001");
    const alone = (await send("month", [crossing()], { month })).json.data;
    assert.deepEqual(alone.covered, covered(month, "month", [1, 6]));
    assert.match(alone.waring, /2026-08-24 至 2026-09-06/);
    await analyse(month);
    assert.equal((await download(month))[0]?.["attendanceDay"], "10");
    const beside = (await send("month", [summary(month, 7, 30, { attendanceDay: "17" })])).json.data;
    assert.match(beside.waring, /2026-08-24 至 2026-09-06/);
    const { waring } = await analyse(month);
    assert.match(waring, /2026-08-24 至 2026-09-06/);
    assert.equal((await download(month))[0]?.["attendanceDay"], "17");
  });
});

test("days that only one of the two sheets has are not analysed as if they met", async () => {
  const month = "2026-10";
  await send("month", [
    monthSheet({
      generation,
      start: dayOf(month, 5),
      end: dayOf(month, 11),
      lines: [{ ...lineOf(7, {}), days: ["普通出勤:下班缺卡\n(08:20,-)"] }],
    }),
  ]);
  await send("original", [original(month, 12, 16)]);
  const { waring } = await analyse(month);
  assert.match(waring, /月度汇总与原始记录没有共同的日期/);
  assert.match(waring, /月度汇总未覆盖 10-01 至 10-04、10-12 至 10-31/);
  assert.match(waring, /原始记录未覆盖 10-01 至 10-11、10-17 至 10-31/);
  const [row] = await download(month);
  assert.deepEqual([row?.["attendanceDays"], row?.["recondOfcardShortageInHuangjiahu"]], [0, ""]);
  await send("original", [original(month, 5, 11)]);
  await analyse(month);
  assert.equal((await download(month))[0]?.["attendanceDays"], 7);
});

test("an analysis without raw punches says what it could not compute", async () => {
  const month = "2026-11";
  await send("month", [summary(month, 1, 30)]);
  const { statu, waring } = await analyse(month);
  assert.equal(statu, 2);
  assert.match(waring, /没有原始记录：校区天数、迟到、早退均未计算/);
  const english = await app.call("GET", "/attendance/month/queryAnalyseStatu", {
    token,
    query: { month },
    headers: { "accept-language": "en" },
  });
  assert.match(english.json.data.waring, /campus days, late and early are not computed/);
});

test("an employee of several month sheets is one, joined as people are joined", async () => {
  const month = "2025-05";
  const week = (first: number, lines: MonthLine[]) =>
    monthSheet({ generation, start: dayOf(month, first), end: dayOf(month, first + 6), lines });
  const worked = lineOf(7, { attendanceDay: "5" });
  const bare = { ...lineOf(7, { attendanceDay: "5" }, { ...someone, name: "明远", userId: "", workNumber: "" }) };
  await send("month", [week(1, [worked, { ...bare, userId: "220000000000000001" }])]);
  // Another department, the mark of those who left, no UserId: the same people.
  await send("month", [
    week(8, [
      { ...worked, department: "后勤处", name: "安宁（离职）" },
      bare,
      lineOf(7, {}, { ...someone, name: "新人", userId: "330000000000000001", workNumber: "" }),
    ]),
  ]);
  await analyse(month);
  const rows = await download(month);
  assert.deepEqual(
    rows.map((row) => [row["workName"], row["department"], row["userId"], row["attendanceDay"]]),
    [
      ["安宁（离职）", "后勤处", someone.userId, "10"],
      ["新人", "教务处", "330000000000000001", ""],
      ["明远", "教务处", "220000000000000001", "10"],
    ].toSorted(([, left = ""], [, right = ""]) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
  );
  assert.equal((await status(month)).total, 3);
});

test("thirty-one imports of a day each are a month", async () => {
  const month = "2025-07";
  const made = makeMonth({ month, people: 6, seed: 9, generation });
  for (let day = 31; day >= 1; day--) {
    const cut = made.cut(day, day);
    assert.equal((await send("month", [cut.monthSheet, cut.dailySheet])).json.code, "0");
    await send("original", [cut.originalSheet], { allowEmpty: "true" });
  }
  assert.deepEqual((await status(month)).covered, [
    ...covered(month, "month", [1, 31]),
    ...covered(month, "daily", [1, 31]),
    ...covered(month, "original", [1, 31]),
  ]);
  await analyse(month);
  const daily = await download(month);
  await send("month", [made.monthSheet, made.dailySheet]);
  await send("original", [made.originalSheet]);
  await analyse(month);
  assert.deepEqual(daily, await download(month));
  // The sixty-two that nothing names any more go.
  await app.pool`select graphile_worker.add_job('attendance-sweep')`;
  const left = async () => (await app.pool`select from attendance.import where month = ${month} and holds_rows`).length;
  while ((await left()) !== 2);
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
