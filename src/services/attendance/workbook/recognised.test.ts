import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { describe, test } from "node:test";
import { SpreadsheetError } from "#platform/workbooks/index.ts";
import { describeFailure } from "#services/attendance/import/failures.ts";
import { buildArchive, buildWorkbook } from "#test/archive-fixture.ts";
import { readAll, readSheets as read, withFile } from "#test/attendance/reading-fixture.ts";
import {
  dailySheet,
  type Generation,
  makeMonth,
  originalSheet,
  removeTitleRows,
  type Sheet,
  type TextEncoding,
  writeCsv,
} from "#test/attendance/workbooks.ts";
import { pick } from "#test/pick.ts";
import type { ReadRequest } from "./index.ts";

const GENERATIONS: readonly Generation[] = [2020, 2026];
const made = makeMonth({ month: "2026-05", people: 3, seed: 4, generation: 2026 });
const MONTH: Partial<ReadRequest> = { sheets: ["month", "daily"], needed: ["month"] };
const ORIGINAL: Partial<ReadRequest> = { sheets: ["original"], needed: ["original"] };
const WORK: Partial<ReadRequest> = { sheets: ["identity"], needed: ["identity"] };

async function refusal(reading: Promise<unknown>): Promise<{ zh: string; en: string }> {
  const error: unknown = await reading.then(
    () => assert.fail("it was read"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof SpreadsheetError, String(error));
  return describeFailure(error).reason;
}

const refusalOf = (sheets: readonly Sheet[], request: Partial<ReadRequest>) => refusal(read(sheets, request));

function refusalOfFile(content: string | Buffer, request: Partial<ReadRequest>) {
  return withFile(async (file) => {
    await writeFile(file, content);
    return refusal(readAll({ path: file, ...request }));
  });
}

const WECOM: Sheet = {
  name: "概况统计与打卡明细",
  head: [
    ["上下班打卡_日报"],
    ["统计时间:2026-05-01 ～ 2026-05-31"],
    ["姓名", "账号", "所属规则", "班次", "最早", "最晚"],
  ],
  rows: [["赵安", "zhaoan", "默认规则", "班次", "08:20", "18:01"]],
};
const FEISHU: Sheet = {
  name: "月度汇总",
  head: [["姓名", "工号", "部门", "人员类型", "考勤组", "应出勤天数", "实际出勤天数", "实际出勤时长(小时)", "1", "2"]],
  rows: [["赵安", "7", "教务处", "正式", "默认", "21", "20", "160", "正常", "休息"]],
};

describe("another product's export", () => {
  test("of WeCom is recognised, by its sheet or by its headings", async () => {
    for (const sheet of [WECOM, { ...WECOM, name: "Sheet1", head: WECOM.head.slice(2) }]) {
      const { zh, en } = await refusalOf([sheet], MONTH);
      assert.match(zh, /缺少工作表：月度汇总.*企业微信.*钉钉.*导出“月度汇总”/s);
      assert.match(en, /月度汇总.*WeCom.*DingTalk/s);
    }
  });

  test("of many sheets is named once, and an empty sheet of ours and a picture as what they are", async () => {
    const sheets = ["打卡详情", "上下班打卡_日报"].map((name) => ({ ...WECOM, name }));
    assert.match((await refusalOf(sheets, MONTH)).zh, /“打卡详情”、“上下班打卡_日报”是企业微信的考勤导出。请/);
    const empty: Sheet = { name: "原始记录", head: [["原始记录 统计日期：2026-05-01 至 2026-05-31"]], rows: [] };
    assert.match((await refusalOf([empty], ORIGINAL)).zh, /^工作表为空：原始记录/);
    assert.match((await refusalOfFile(Buffer.from("\x89PNG\r\n\x1a\n\0", "latin1"), MONTH)).zh, /^这是图片文件/);
  });

  test("of Feishu is no month of ours, whatever its sheet is called", async () => {
    const { zh, en } = await refusalOf([FEISHU], MONTH);
    assert.match(zh, /“月度汇总”是飞书的考勤导出/);
    assert.match(en, /"月度汇总" is an attendance export of Feishu/);
    const daily: Sheet = {
      name: "每日统计",
      head: [["姓名", "工号", "部门", "日期", "班次", "上班打卡时间", "上班打卡地点", "实际出勤时长(小时)"]],
      rows: [["赵安", "7", "教务处", "2026-05-04", "班", "08:20", "楼", "8"]],
    };
    assert.match((await refusalOf([daily], ORIGINAL)).zh, /飞书/);
  });

  test("beside a sheet of ours does not stand in its way", async () => {
    const book = await read([{ ...FEISHU, name: "飞书" }, made.monthSheet], MONTH);
    assert.equal(book.month.length, 3);
  });

  test("that nobody knows is told with the headings that were found", async () => {
    const sheet: Sheet = {
      name: "考勤",
      head: [["员工", "上班", "下班", "部门"]],
      rows: [["赵安", "08:20", "18:00", "教务处"]],
    };
    const { zh, en } = await refusalOf([sheet], ORIGINAL);
    assert.match(zh, /“考勤”无法识别（员工、上班、下班、部门）/);
    assert.match(en, /"考勤" was not recognised \(员工, 上班, 下班, 部门\)/);
    assert.match(zh, /原始记录/);
  });
});

describe("a workbook of the platform that lacks what is asked for", () => {
  test("is told as what it is, and which import takes it", async () => {
    const { clockTimesSheet: clock, dailySheet: daily } = made;
    const told = await refusalOf([daily], ORIGINAL);
    assert.match(told.zh, /缺少工作表：原始记录.*“每日统计”是每日统计。每日统计请在“月度汇总”的导入中上传/s);
    assert.match((await refusalOf([{ ...clock, name: "Sheet1" }], ORIGINAL)).en, /"Sheet1" is 打卡时间/);
  });

  test("is sent to the door that takes it", async () => {
    assert.match((await refusalOf([made.originalSheet], MONTH)).zh, /原始记录.*请在“原始记录”的导入中上传/s);
    assert.match((await refusalOf([made.monthSheet], ORIGINAL)).zh, /月度汇总.*请在“月度汇总”的导入中上传/s);
    assert.match((await refusalOf([made.monthSheet], WORK)).zh, /身份证号/);
  });

  test("without a title is told what the title says, and that the month will do", async () => {
    const untitled = removeTitleRows(made.monthSheet);
    const { zh, en } = await refusalOf([untitled], MONTH);
    assert.match(zh, /^month: .*没有标题行.*统计日期.*yyyy-MM/s);
    assert.match(en, /^month: .*no title.*yyyy-MM/s);
    assert.equal((await read([untitled], { ...MONTH, month: "2026-05" })).month.length, 3);
    const [line] = made.punchLines;
    assert.ok(line);
    const later = { ...line, day: "2026-06-01" };
    const twoMonths = removeTitleRows(
      originalSheet({ generation: 2026, start: "", end: "", lines: [...made.punchLines, later] }),
    );
    assert.match((await refusalOf([twoMonths], ORIGINAL)).zh, /^month: .*2026-05.*2026-06/s);
  });

  test("a title whose range ends before it begins, or names days that are none, is refused with it", async () => {
    for (const [start, end] of [
      ["2026-05-31", "2026-05-01"],
      ["2026-02-30", "2026-03-01"],
      ["2020-01-01", "2026-05-31"],
    ] as const) {
      const title = `月度汇总 统计日期：${start} 至 ${end}`;
      const sheet: Sheet = { ...made.monthSheet, head: [[title], ...made.monthSheet.head.slice(1)] };
      for (const request of [MONTH, { ...MONTH, month: "2026-05" }]) {
        const { zh, en } = await refusalOf([sheet], request);
        assert.match(zh, new RegExp(`统计日期.*${start} 至 ${end}`, "s"));
        assert.match(en, new RegExp(`${start} 至 ${end}`));
      }
    }
  });
});

describe("files of other kinds", () => {
  const ods = buildArchive([
    { name: "mimetype", content: "application/vnd.oasis.opendocument.spreadsheet", stored: true },
    { name: "content.xml", content: "<office:document-content/>" },
  ]);
  const xlsb = buildArchive(
    buildWorkbook("").map(({ name, content }) => ({
      name: name.replace("workbook.xml", "workbook.bin"),
      content: String(content).replaceAll("workbook.xml", "workbook.bin"),
    })),
  );
  const files: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ["an .ods workbook", ods, /\.ods.*另存为 \.xlsx/s],
    ["an .xlsb workbook", xlsb, /\.xlsb.*另存为 \.xlsx/s],
    ["a web page called .xls", "\ufeff\r\n<HTML><body><table><tr><td>姓名</td></tr></table>", /网页.*另存为 \.xlsx/s],
    [
      "XML of 2003 called .xls",
      '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>',
      /网页或 XML.*另存为 \.xlsx/s,
    ],
  ];
  for (const [name, content, expected] of files) {
    test(`${name} is told as that`, async () => assert.match((await refusalOfFile(content, MONTH)).zh, expected));
  }
});

describe("text", () => {
  const forms: readonly (readonly [TextEncoding, "," | ";" | "\t"])[] = [
    ["utf-8", ","],
    ["gb18030", ";"],
    ["utf-16le", "\t"],
    ["utf-16be", ","],
  ];
  for (const [index, [encoding, separator]] of forms.entries()) {
    test(`in ${encoding} separated by ${JSON.stringify(separator)} is read like any other`, async () => {
      const made = makeMonth({ month: "2026-05", people: 4, seed: 8, generation: GENERATIONS[index % 2] ?? 2026 });
      const readText = (sheet: Sheet) =>
        withFile(async (file) => {
          await writeCsv(file, sheet, encoding, separator);
          return readAll({ path: file });
        }, "export.csv");
      assert.deepEqual(
        (await readText(made.dailySheet)).daily.map(({ columns }) => columns.slice(1, 6)),
        made.dailyLines.map((line) => [line.name, line.userId, line.workNumber, line.day, line.shift]),
      );
      assert.deepEqual(
        pick((await readText(made.monthSheet)).month, "days"),
        made.monthLines.map(({ days }) => days),
      );
    });
  }

  test("in UTF-16 that is cut in the middle of a character is refused", async () => {
    const cut = Buffer.concat([Buffer.from("fffe", "hex"), Buffer.from("姓名,工号,身份证号\n赵", "utf16le")]);
    assert.match((await refusalOfFile(cut.subarray(0, -1), WORK)).zh, /编码/);
  });
});

test("headings below row 12 are found, and those far below are not looked for", async () => {
  const lower = (rows: number): Sheet => ({
    ...made.monthSheet,
    head: [
      ...made.monthSheet.head.slice(0, 2),
      ...Array.from({ length: rows }, (_, row) => [`说明 ${row}`]),
      ...made.monthSheet.head.slice(2),
    ],
  });
  for (const rows of [10, 90]) {
    const book = await read([lower(rows)], MONTH);
    assert.deepEqual(
      book.month.map(({ name, days }) => [name, days]),
      made.monthLines.map(({ name, days }) => [name, days]),
    );
  }
  assert.match((await refusalOf([lower(300)], MONTH)).zh, /缺少必需的表头：月度汇总/);
});

test("a small table above the headings is not taken for them", async () => {
  const { head } = made.monthSheet;
  const sheet: Sheet = {
    ...made.monthSheet,
    head: [...head.slice(0, 2), ["姓名", "部门"], ["赵安", "教务处"], ...head.slice(2)],
  };
  assert.equal((await read([sheet], MONTH)).month.length, 3);
});

test("of 31 sheets of one kind the first is read, and the others are named, not all of them", async () => {
  const [line] = made.dailyLines;
  assert.ok(line);
  const sheets = Array.from({ length: 31 }, (_, index): Sheet => {
    const day = `2026-05-${String(index + 1).padStart(2, "0")}`;
    return {
      ...dailySheet({ generation: 2026, start: day, end: day, lines: [{ ...line, day }] }),
      name: `${index + 1}日`,
    };
  });
  const book = await read([...sheets, made.monthSheet], MONTH);
  assert.equal(book.daily.length, 1);
  assert.match(book.warnings.join(), /30 other 每日统计 sheets were not read: .*2日, 3日.*…/s);
  assert.ok(book.warnings.every((text) => text.length < 400));
});

test("what is told of a file with very many sheets and headings stays short", async () => {
  const sheets = Array.from({ length: 60 }, (_, index): Sheet => ({
    name: `表${index}`,
    head: [Array.from({ length: 300 }, (_, column) => `列${column}`)],
    rows: [],
  }));
  const { zh, en } = await refusalOf(sheets, MONTH);
  assert.ok(zh.length < 600 && en.length < 900, `${zh.length} ${en.length}`);
});
