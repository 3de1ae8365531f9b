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
import {
  type DailyLine,
  dailySheet,
  mapColumn,
  monthSheet,
  renameHeading,
  removeTitleRows,
  type Sheet,
} from "#test/attendance/workbooks.ts";

const app = await startTestApp({ services: ["attendance"] });
const { token } = await app.signIn("platform");
const { get, send, sendBytes, analyse } = await openAttendance(app, token);

const generation = 2026;
const rename = (sheet: Sheet, names: Readonly<Record<string, string>>): Sheet =>
  Object.entries(names).reduce((renamed, [from, to]) => renameHeading(renamed, from, to), sheet);
const madeOn = (sheet: Sheet, minute: string): Sheet => ({
  ...sheet,
  head: sheet.head.with(1, [`报表生成时间：${minute}`]),
});
const rowOf = async (month: string) => {
  await analyse(month);
  return (await get("downLoad", { month })).json.data;
};

const slot = (time: string, result: string) => ({ time, result });
const onTime = { 上班1: slot("08:20", "正常"), 下班1: slot("18:05", "正常") };
const lateIn = { 上班1: slot("08:42", "迟到"), 下班1: slot("", "缺卡") };
const day = (month: string, number: number, more: Partial<DailyLine> = {}): DailyLine => ({
  ...someone,
  day: dayOf(month, number),
  shift: "普通出勤",
  slots: onTime,
  figures: { 出勤天数: 1 },
  ...more,
});
const daily = (month: string, lines: readonly DailyLine[]): Sheet =>
  dailySheet({ generation, start: dayOf(month, 4), end: dayOf(month, 8), lines });

const feishu: Sheet = {
  name: "每日统计",
  head: [["姓名", "工号", "日期", "班次", "上班打卡地点", "实际出勤时长(小时)"]],
  rows: [[someone.name, someone.workNumber, "2026-05-04", "班", "楼", "8"]],
};
const wecom: Sheet = { name: "打卡详情", head: [["姓名", "账号", "所属规则"]], rows: [] };

// PostgreSQL compresses repetitions, so the characters must differ.
const listCharacters = (count: number): string =>
  Array.from({ length: count }, (_, index) => String.fromCodePoint(0x4e_00 + ((index * index * 31) % 20_011))).join("");

describe("refused, and the month stays as it was, is", () => {
  const month = "2026-05";
  const punches = plainPunches(month, 1, 31);
  const twoMonths = [...punchesOf(month, 30, 31), ...punchesOf("2026-06", 1, 2)];
  const acrossMonths = { generation, start: "2026-04-20", end: dayOf(month, 31) } as const;
  const png = Buffer.from("\x89PNG\r\n\x1a\n\0", "latin1");
  const cases: Record<string, [to: "month" | "original", file: readonly Sheet[] | Buffer, code: string, says: RegExp]> =
    {
      "an empty export": [
        "original",
        [{ ...punches, head: punches.head.slice(0, 1), rows: [] }],
        "10030",
        /工作表为空/,
      ],
      "an export with headings alone": [
        "original",
        [{ ...punches, rows: [] }],
        "10030",
        /原始记录没有 2026-05 的数据行/,
      ],
      "a picture": ["month", png, "10030", /这是图片文件/],
      "other products": ["month", [feishu, wecom], "10030", /“每日统计”是飞书的.*“打卡详情”是企业微信的/],
      "原始记录 with headings half renamed": [
        "original",
        [rename(punches, { 打卡结果: "结果", 打卡地址: "地点" })],
        "10030",
        /缺少必需的表头：原始记录 打卡结果、打卡地址/,
      ],
      "每日统计 with headings half renamed": [
        "month",
        [rename(daily(month, [day(month, 4)]), { 姓名: "人", 日期: "哪天" })],
        "10030",
        /每日统计 姓名、日期/,
      ],
      "punches of two months without a title": [
        "original",
        [removeTitleRows(plainPunches(month, 1, 31, twoMonths))],
        "10001",
        /month: .*2026-05、2026-06/,
      ],
      "月度汇总 of one month beside 每日统计 of two": [
        "month",
        [plainSummary(month, 1, 31), dailySheet({ ...acrossMonths, lines: [day("2026-04", 28), day(month, 4)] })],
        "10030",
        /各工作表分属 2026-04、2026-05/,
      ],
      "a UserId that no index holds": [
        "original",
        [mapColumn(punches, "UserId", () => listCharacters(30_000))],
        "10030",
        /单元格内容超过长度上限：UserId/,
      ],
      "a department that no index holds": [
        "month",
        [mapColumn(plainSummary(month, 1, 31), "部门", () => listCharacters(30_000))],
        "10030",
        /单元格内容超过长度上限：部门/,
      ],
      "days of two months without a title": [
        "month",
        [removeTitleRows(daily(month, [day(month, 31), day("2026-06", 1)]))],
        "10001",
        /month: .*2026-05、2026-06/,
      ],
    };
  for (const [what, [to, file, code, says]] of Object.entries(cases))
    test(what, async () => {
      await send("month", [plainSummary(month, 1, 31)]);
      await send("original", [punches]);
      const before = (await get("months")).json.data;
      const { json } = await (Buffer.isBuffer(file) ? sendBytes(to, "考勤.xlsx", file) : send(to, file));
      assert.equal(json.code, code, json.message);
      assert.match(json.message, says);
      assert.deepEqual((await get("months")).json.data, before);
    });
});

describe("taken, and told, is", () => {
  test("a file of next week over a whole month", async () => {
    const month = "2026-08";
    await send("month", [plainSummary(month, 1, 31, { attendanceDay: "22" })]);
    await send("original", [plainPunches(month, 1, 31)]);
    const ahead = monthSheet({
      generation,
      start: dayOf(month, 24),
      end: dayOf(month, 31),
      lines: [{ ...lineOf(0), figures: {} }],
    });
    const { data } = (await send("month", [madeOn(ahead, "2026-08-21 17:00")])).json;
    assert.deepEqual(
      data.covered,
      ["month", "original"].flatMap((sheet) => coveredRuns(month, sheet, [1, 31])),
    );
    assert.match(data.waring, /08-24 至 08-31 当时尚未结束/);
    assert.match(data.waring, /08-01 至 08-31 的月度汇总与更新的导入日期重叠，其统计列未计入/);
    const [row] = await rowOf(month);
    assert.deepEqual(
      [row.twentyThreeOfMonth, row.twentyFourOfMonth, row.attendanceDays],
      [/./.exec(row.oneOfMonth)?.input, "", 31],
    );
    const empty = await send("original", [plainPunches(month, 24, 31, [])]);
    assert.equal(empty.json.code, "10030");
  });

  test("每日统计 that contradicts 月度汇总", async () => {
    const month = "2026-09";
    const lines = [day(month, 4), day(month, 5, { slots: lateIn, figures: { 下班缺卡次数: 1 } })];
    const { data } = (await send("month", [plainSummary(month, 4, 8, { attendanceDay: "5" }), daily(month, lines)]))
      .json;
    assert.equal(data.employees, 1);
    await send("original", [plainPunches(month, 4, 8, punchesOf(month, 4, 5))]);
    const [row] = await rowOf(month);
    assert.deepEqual([row.daysOfAttendanceInHuangjiahu, row.recondOfcardShortageInHuangjiahu], [1, "09-05 下班1缺卡"]);
    const differences: { figure: string; ours: number; theirs: number; days: string[] }[] = (
      await get("differences", { month })
    ).json.data;
    assert.deepEqual(
      differences.map(({ figure, ours, theirs, days }) => [figure, ours, theirs, ...days]),
      [
        ["attendanceDay", 2, 5, ...[5, 6, 7, 8].map((each) => dayOf(month, each))],
        ["lackOfMissingWorkCardTimes", 1, 0],
      ],
    );
  });

  const april = "2026-04";
  const extra: Sheet = plainSummary(april, 1, 30);
  const cases: Record<string, [sheets: readonly Sheet[], says: readonly RegExp[]]> = {
    "月度汇总 with headings half renamed": [
      [
        {
          ...rename(plainSummary(april, 1, 30), { 出勤天数: "出勤情况", 迟到次数: "迟到几次" }),
          rows: [...plainSummary(april, 1, 30, { attendanceDay: "21" }).rows],
        },
      ],
      [/月度汇总没有这些列，相应的值为空：出勤天数、迟到次数/, /没有对应的字段，未导入：出勤情况/],
    ],
    "每日统计 with results renamed": [
      [rename(daily(april, [day(april, 4)]), { 上班1打卡结果: "早上", 下班1打卡结果: "晚上" })],
      [/每日统计没有这些列，相应的打卡时间或打卡结果为空：上班1打卡结果、下班1打卡结果/],
    ],
    "31 columns in a month of 30": [
      [
        {
          ...extra,
          head: extra.head.map((row, index) => (index === 3 ? [...row, "31"] : row)),
          rows: [...extra.rows].map((row) => [...row, "普通出勤:正常\n(08:20,18:05)"]),
        },
      ],
      [/没有对应的字段，未导入：31/],
    ],
    "an export made at noon of its last day": [
      [madeOn(plainSummary(april, 1, 30), "2026-04-30 12:00")],
      [/报表生成于 2026-04-30，04-30 当时尚未结束/],
    ],
    "a day of two products": [
      [feishu, plainSummary(april, 4, 8), wecom],
      [/“每日统计”是飞书的考勤导出，未读取/, /“打卡详情”是企业微信的考勤导出，未读取/],
    ],
    "departments in merged cells": [
      [
        {
          ...monthSheet({
            generation,
            start: dayOf(april, 1),
            end: dayOf(april, 30),
            lines: ["教务处", "", "", "总务处", ""].map((department, at) =>
              lineOf(30, {}, { ...someone, userId: `${at}`, workNumber: `${at}`, department }),
            ),
          }),
          merges: ["A1:BN1", "C5:C7", "C8:C8", "B5:B6", "D5:D9"],
        },
      ],
      [/月度汇总的部门或考勤组有合并单元格，其中 2 行按合并区域的第一行填写（第 6、7 行）/],
    ],
    "durations as texts in 每日统计": [
      [
        daily("2026-03", [
          ...["2小时30分", "45分钟", "0", ""].map((text, at) =>
            day("2026-03", 4 + at, { figures: { 工作时长: text, 迟到时长: at } }),
          ),
          day("2026-03", 8, { figures: { 工作时长: "3小时", 迟到时长: "约2分" } }),
        ]),
      ],
      [/每日统计的以下列含有无法相加的内容，相关人员的值为空：迟到时长/],
    ],
  };
  for (const [what, [sheets, says]] of Object.entries(cases))
    test(what, async () => {
      const { code, message, data } = (await send("month", sheets)).json;
      assert.equal(code, "0", message);
      for (const each of says) assert.match(data.waring, each);
    });

  test("and is so in the rows", async () => {
    const rows = await rowOf(april);
    assert.deepEqual(rows.map(({ department }: { department: string }) => department).toSorted(), [
      "",
      "总务处",
      "教务处",
      "教务处",
      "教务处",
    ]);
    const [row] = await rowOf("2026-03");
    assert.deepEqual([row.workHours, row.numberOfLateTime], ["6小时15分钟", ""]);
  });
});

test("who stands in two groups has the punches and days of each", async () => {
  const month = "2026-02";
  const groups = ["行政", "后勤"].map((group) => ({ ...someone, group }));
  const [one = someone, other = someone] = groups;
  const range = { generation, start: dayOf(month, 1), end: dayOf(month, 28) } as const;
  await send("month", [
    monthSheet({ ...range, lines: groups.map((who) => lineOf(28, {}, who)) }),
    dailySheet({
      ...range,
      lines: [day(month, 2, one), day(month, 3, one), day(month, 4, { ...other, slots: lateIn })],
    }),
  ]);
  const lines = [
    ...punchesOf(month, 2, 3, one),
    ...punchesOf(month, 4, 4, other),
    ...punchesOf(month, 5, 5, { ...someone, group: "" }),
  ];
  const { data } = (await send("original", [plainPunches(month, 1, 28, lines)])).json;
  assert.deepEqual([data.employees, data.rows], [1, 4]);
  assert.match(data.waring, /原始记录中有 1 人无法对应到月度汇总/);
  const rows = await rowOf(month);
  const told = groups.map(({ group }) => rows.find((row: { groupOfCheck: string }) => row.groupOfCheck === group));
  assert.deepEqual(
    told.map((row) => [row.attendanceDays, row.recondOfcardShortageInHuangjiahu]),
    [
      [2, ""],
      [1, "02-04 下班1缺卡"],
    ],
  );
  const { people } = (await get("unmatched", { month })).json.data;
  assert.deepEqual(
    people.map(({ workName }: { workName: string }) => workName),
    [someone.name],
  );
});
