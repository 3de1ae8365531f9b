import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { startTestApp } from "#test/app.ts";
import { openAttendance } from "#test/attendance/calls.ts";
import { plainSummary, punchesOf, someone } from "#test/attendance/plain-sheets.ts";
import {
  clockTimesSheet,
  type DailyLine,
  dailySheet,
  deleteColumn,
  type Generation,
  mapColumn,
  originalSheet,
  removeTitleRows,
  type Sheet,
  writeBook,
  writeCsv,
} from "#test/attendance/workbooks.ts";

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, upload, analyse } = await openAttendance(app, token);

const month = "2026-05";
const range = { start: `${month}-04`, end: `${month}-09` } as const;
const other = { ...someone, name: "白露", userId: "", workNumber: "7", group: "", department: "" };
const slot = (time: string, result: string) => ({ time, result });
const day = (
  number: number,
  slots: DailyLine["slots"],
  figures: DailyLine["figures"],
  rest: Partial<DailyLine> = {},
) => ({
  ...someone,
  day: `${month}-0${number}`,
  shift: "普通出勤 08:30-18:00",
  slots,
  figures: figures ?? {},
  ...rest,
});
const there = { 出勤天数: 1, 工作时长: 540 };
const lines: readonly DailyLine[] = [
  day(4, { 上班1: slot("08:20", "正常"), 下班1: slot("18:05", "正常") }, there),
  day(
    5,
    { 上班1: slot("08:42", "迟到12分钟"), 下班1: slot("", "缺卡") },
    { 出勤天数: 1, 迟到次数: 1, 下班缺卡次数: 1 },
  ),
  day(6, { 上班1: slot("", "缺卡"), 下班1: slot("", "缺卡") }, { 旷工天数: 1 }),
  day(7, { 上班1: slot("21:50", "正常"), 下班1: slot("次日 02:23", "正常") }, there),
  day(9, {}, { 休息天数: 1 }, { shift: "休息" }),
  day(0, {}, { 出勤天数: 3, 旷工天数: 1 }, { day: "总计" }),
  day(4, { 上班1: slot("08:00", "正常"), 下班1: slot("18:00", "外勤") }, there, other),
];
const daily = (generation: Generation): Sheet => dailySheet({ generation, ...range, lines });

async function recognise(file: string) {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(await readFile(file))]), "x.xlsx");
  return (await app.call("POST", "/attendance/month/recognise", { token, raw: form })).json.data;
}

const custom = ["考勤组", "部门", "职位", "工作时长(分钟)", "迟到次数", "休息天数"];
const csv = { ...daily(2026), rows: [...daily(2026).rows] };
const forms: readonly [string, Sheet, { lacking: RegExp; figures: string[] }][] = [
  ["in the form of 2020", daily(2020), { lacking: /：出差、/, figures: ["3", "1", "1", "1080"] }],
  ["in the form of 2026", daily(2026), { lacking: /：出差、/, figures: ["3", "1", "1", "1080"] }],
  [
    "with fewer columns",
    custom.reduce(deleteColumn, daily(2026)),
    { lacking: /休息天数、工作时长、/, figures: ["3", "1", "1", ""] },
  ],
  ["as CSV", csv, { lacking: /：出差、/, figures: ["3", "1", "1", "1080"] }],
];

describe("每日统计 alone is a month", () => {
  for (const [name, sheet, { lacking, figures }] of forms)
    test(name, async () => {
      const file = `${app.dataDir}/${name === "as CSV" ? "x.csv" : "x.xlsx"}`;
      await (name === "as CSV" ? writeCsv(file, sheet) : writeBook(file, [sheet]));
      const { imports } = await recognise(file);
      const taken = imports[0].takes.map((each: Record<string, string>) => [each["sheet"], each["from"], each["to"]]);
      assert.deepEqual([imports.length, imports[0].sheet, taken], [1, "month", [["daily", range.start, range.end]]]);
      const { code, message, data } = (await upload("month", file)).json;
      assert.deepEqual([code, data?.employees, data?.rows], ["0", 2, 6], message);
      assert.deepEqual(data.covered, [{ sheet: "daily", from: range.start, to: range.end }]);
      assert.match(data.waring, /^缺少月度汇总：人员、日期和统计列由每日统计得出$/m);
      assert.match(data.waring, new RegExp(`^每日统计没有这些列，相应的值为空.*${lacking.source}`, "m"));
      assert.equal((await analyse(month)).statu, 2);
      const rows = (await get("downLoad", { month })).json.data;
      const [row, second] = [someone, other].map(({ name: who }) =>
        rows.find(({ workName }: { workName: string }) => workName === who),
      );
      assert.deepEqual([row.attendanceDay, row.lackOfMissingWorkCardTimes, row.absenteeismDay, row.workHours], figures);
      assert.deepEqual([row.attendanceDays, second.attendanceDays], [3, 1], "campus days rest on nothing");
      assert.deepEqual([row.daysOfcardShortageInHuangjiahu, row.daysOfAttendanceInHuangjiahu], ["", 0]);
      const cells = [
        row.fourOfMonth,
        row.fiveOfMonth,
        row.sixOfMonth,
        row.sevenOfMonth,
        row.eightOfMonth,
        row.nineOfMonth,
      ];
      assert.deepEqual(cells, [
        "正常；(08:20,18:05)",
        "上班迟到12分钟,下班缺卡；(08:42,-)",
        "旷工；(-)",
        "正常；(21:50,02:23)",
        "",
        "休息；(-)",
      ]);
      assert.deepEqual([second.workName, second.fourOfMonth], ["白露", "外勤；(08:00,18:00)"]);
    });

  test("whose workbook has the units of its headings, and blanks where nothing tells a figure", async () => {
    const address = `${app.url}/attendance/month/downLoad?${new URLSearchParams({ month, format: "xlsx" })}`;
    const response = await fetch(address, { headers: { admin_token: token } });
    const [headings, , row] = await Array.fromAsync(streamXlsxRows(Buffer.from(await response.arrayBuffer())));
    const cell = (heading: string) => row?.values[headings?.values.indexOf(heading) ?? -1] ?? null;
    assert.deepEqual(["出勤合计天数", "黄家湖出勤天数", "迟到20分钟以内次数", "工作时长(分钟)"].map(cell), [
      3,
      null,
      null,
      1080,
    ]);
  });

  test("and with 原始记录 beside it has campuses and minutes", async () => {
    await send("original", [originalSheet({ generation: 2026, ...range, lines: punchesOf(month, 4, 4) })]);
    await analyse(month);
    const [, row] = (await get("downLoad", { month })).json.data;
    assert.deepEqual(
      [row.attendanceDays, row.daysOfAttendanceInHuangjiahu, row.recondOfcardShortageInHuangjiahu],
      [3, 2, "05-05 下班1缺卡"],
    );
  });
});

test("每日统计 alone across two months gives each month the figures of its own days", async () => {
  const parts = [
    { start: "2026-08-26", end: "2026-09-10", days: ["2026-08-28", "2026-09-04", "2026-09-07"] },
    { start: "2026-09-11", end: "2026-10-10", days: ["2026-09-14", "2026-10-09"] },
  ];
  for (const { days, ...dates } of parts) {
    const own = days.map((each) => ({ ...day(4, {}, there), day: each }));
    const { data } = (await send("month", [dailySheet({ generation: 2026, ...dates, lines: own })])).json;
    assert.doesNotMatch(data.waring, /无法按月拆分|没有可用的数据/);
  }
  for (const [of, days] of [
    ["2026-08", "1"],
    ["2026-09", "3"],
    ["2026-10", "1"],
  ] as const) {
    await analyse(of);
    assert.equal((await get("downLoad", { month: of })).json.data[0].attendanceDay, days, of);
  }
});

describe("打卡时间 alone gives days and times", () => {
  const times = ["08:20 11:32 18:05", "", "21:50 02:23", "08:31外勤", "", ""];
  const clocks = (generation: Generation) => clockTimesSheet({ generation, ...range, lines: [{ ...someone, times }] });
  for (const generation of [2020, 2026] as const)
    test(`in the form of ${generation}`, async () => {
      const other = `2026-0${generation === 2020 ? 6 : 7}`;
      const lines = [{ ...someone, times }];
      const sheet = clockTimesSheet({ generation, start: `${other}-04`, end: `${other}-09`, lines });
      const { code, message, data } = (await send("month", [sheet])).json;
      assert.deepEqual([code, data?.employees, data?.rows], ["0", 1, 3], message);
      assert.match(data.waring, /打卡时间只有日期和时间/);
      await analyse(other);
      const [row] = (await get("downLoad", { month: other })).json.data;
      assert.deepEqual(
        [row.attendanceDays, row.attendanceDay, row.fourOfMonth, row.fiveOfMonth, row.sevenOfMonth],
        [3, "", "(08:20,11:32,18:05)", "", "(08:31外勤)"],
      );
    });

  test("and replaces no day of the sheets themselves, as 每日统计 replaces none of 月度汇总", async () => {
    const own = "2026-04";
    const [from, to] = [`${own}-04`, `${own}-09`];
    await send("month", [plainSummary(own, 4, 6)]);
    const sheet = dailySheet({
      generation: 2026,
      start: from,
      end: to,
      lines: lines.map((line) => ({ ...line, day: line.day.replace("-05-", "-04-") })),
    });
    const file = `${app.dataDir}/own.xlsx`;
    await writeBook(file, [sheet]);
    const taken = (await recognise(file)).imports[0].takes.map(
      (each: Record<string, string>) => `${each["sheet"]} ${each["from"]}`,
    );
    assert.deepEqual(taken, [`daily ${from}`]);
    await upload("month", file);
    await send("month", [clockTimesSheet({ generation: 2026, start: from, end: to, lines: [{ ...someone, times }] })]);
    const spans = await app.pool<{ sheet: string; from: string; file: number }[]>`
      select span.sheet, span.first_day::text as "from", dense_rank() over (order by import_id)::int as file
      from attendance.span where month = ${own} order by sheet, first_day`;
    assert.deepEqual(
      spans.map((span) => `${span.sheet} ${span.from} ${span.file}`),
      [`daily ${from} 2`, `month ${from} 1`, `month ${own}-07 2`],
    );
  });

  const refused: readonly [string, Sheet, string, RegExp][] = [
    ["a cell that is no time", mapColumn(clocks(2020), "4", () => "昨天"), "10020", /./],
    ["no title", removeTitleRows(clocks(2026)), "10001", /^.*month: .*没有标题行/],
    ["no row", { ...daily(2026), rows: [] }, "10030", /每日统计没有 2026-05 的数据行/],
    ["a day that is none", mapColumn(daily(2026), "日期", () => "26-02-30"), "10020", /./],
  ];
  for (const [name, sheet, code, says] of refused)
    test(`is refused with ${name}`, async () => {
      const { json } = await send("month", [sheet]);
      assert.equal(json.code, code, json.message);
      assert.match(json.message, says);
    });
});
