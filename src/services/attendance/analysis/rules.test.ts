import assert from "node:assert/strict";
import { test } from "node:test";
import { countComputing } from "#test/computing.ts";
import { readDayCell, writeMissing } from "./rules-missing.ts";
import { isOffSite, readResult } from "./rules-punches.ts";

interface Expected {
  readonly cell: string;
  readonly missing?: readonly string[];
  readonly unknown?: readonly string[];
}

const cells: readonly Expected[] = [
  { cell: "" },
  { cell: "正常" },
  { cell: "休息并打卡" },
  { cell: "不在考勤组并打卡" },
  { cell: "旷工" },
  { cell: "上班1缺卡", missing: ["上班1缺卡"] },
  { cell: "上班缺卡\n下班缺卡", missing: ["上班缺卡", "下班缺卡"] },
  { cell: "上班2迟到3分钟\n上班3缺卡\n下班3缺卡", missing: ["上班3缺卡", "下班3缺卡"] },
  { cell: "\n上班3缺卡\r\n下班3缺卡\n", missing: ["上班3缺卡", "下班3缺卡"] },
  { cell: "上班1旷工迟到2小时38分钟" },
  { cell: "事假10-12 08:30到10-12 17:30 8小时" },
  { cell: "正常\n出差01-06 09:00到01-07 18:00 2天" },
  { cell: "普通出勤:正常\n(08:22,18:11)" },
  { cell: "休息\n(-)" },
  { cell: "未排班\n(-)" },
  { cell: "普通出勤:旷工\n(-)" },
  { cell: "普通出勤:未打卡\n(-)", missing: ["未打卡"] },
  { cell: "普通出勤:上班迟到260分钟,普通出勤:下班缺卡\n(12:50,-)", missing: ["下班缺卡"] },
  { cell: "3班次17点:正常\n(08:22,18:11)" },
  { cell: "3班次17点:下班2缺卡\n(08:22,-)", missing: ["下班2缺卡"] },
  { cell: "上班2班:上班缺卡\n(-,18:00)", missing: ["上班缺卡"] },
  { cell: "早:晚上班:上班1缺卡\n(-,18:00)", missing: ["上班1缺卡"] },
  { cell: "上班缺卡班:正常\n(08:00,18:00)" },
  { cell: "早班，晚班：下班缺卡\n（08:00，-）", missing: ["下班缺卡"] },
  { cell: "普通出勤:正常,加班05-07 18:00到05-07 19:00 1小时,外出05-07 14:00到05-07 16:00 2小时\n(08:26,19:03)" },
  { cell: "普通出勤:正常,补卡申请05-06 08:30到05-06 08:30\n(08:30,18:00)" },
  { cell: "年假0.5天\n(-,18:32)" },
  { cell: "出差\n(-,-)" },
  { cell: "普通出勤:外勤\n(08:30,18:00)" },
  { cell: "普通出勤:月球,普通出勤:下班缺卡\n(08:30,-)", missing: ["下班缺卡"], unknown: ["普通出勤:月球"] },
  { cell: "不正常", unknown: ["不正常"] },
  { cell: "早上班缺卡", unknown: ["早上班缺卡"] },
  { cell: "月球\n下班缺卡", missing: ["下班缺卡"], unknown: ["月球"] },
];

test("a cell says which punches are missing, and what nobody knows", () => {
  for (const { cell, missing = [], unknown = [] } of cells) {
    const read = readDayCell(cell);
    const written = read.missing.map((slot) => writeMissing("2026-05-04", slot));
    assert.deepEqual([written, read.unknown], [missing.map((text) => `05-04 ${text}`), unknown], cell);
  }
});

test("events are told from the names of shifts", () => {
  const { events } = readDayCell("早上班:上班迟到5分钟,早上班:下班缺卡\n(08:35,-)");
  assert.deepEqual(events, ["上班迟到5分钟", "下班缺卡"]);
});

test("a hostile cell is read in time", () => {
  const computed = countComputing();
  for (const piece of [":1-1", "管理员", "上班", "假", "1", ","]) {
    const { unknown } = readDayCell(`${piece.repeat(Math.floor(32_767 / piece.length) - 2)}:月球`);
    assert.ok(unknown.every((text) => text.length <= 200));
  }
  assert.ok(computed() < 250);
});

const results: Readonly<Record<string, readonly string[]>> = {
  "on-time": ["正常", "补卡审批通过", "管理员张三改为正常", "外勤"],
  late: ["外勤,迟到", "迟到", "严重迟到", "旷工迟到", "迟到12分钟", "严重迟到1小时5分钟"],
  early: ["早退", "早退3分钟"],
  excused: ["请假"],
  approved: ["出差", "外出", "加班", "外出,外勤"],
  missing: ["缺卡", "未打卡"],
  void: ["打卡无效:此记录已被更新", "打卡无效：此记录已被更新", "打卡无效"],
  unknown: ["管理员张三改为迟到", "月球打卡"],
};

test("a result has its meaning", () => {
  for (const [meaning, texts] of Object.entries(results))
    for (const text of texts) assert.equal(readResult(text), meaning, text);
});

test("外勤 marks a place, whatever stands beside it", () => {
  assert.equal(isOffSite("外勤,迟到"), true);
  assert.equal(isOffSite("外出"), false);
});

test("a hostile result is read in time", () => {
  const computed = countComputing();
  assert.equal(readResult(`${",".repeat(32_000)}外勤${" ".repeat(500)}月球`), "unknown");
  assert.equal(readResult(`打卡无效:${"，".repeat(32_000)}`), "void");
  assert.ok(computed() < 100);
});
