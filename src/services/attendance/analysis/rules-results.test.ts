import assert from "node:assert/strict";
import { test } from "node:test";
import { countComputing } from "#test/computing.ts";
import { isOffSite, readResult } from "./rules-punches.ts";

const results = [
  ["正常", "on-time"],
  ["补卡审批通过", "on-time"],
  ["管理员张三改为正常", "on-time"],
  ["外勤", "on-time"],
  ["外勤,迟到", "late"],
  ["迟到", "late"],
  ["严重迟到", "late"],
  ["旷工迟到", "late"],
  ["迟到12分钟", "late"],
  ["严重迟到1小时5分钟", "late"],
  ["早退", "early"],
  ["早退3分钟", "early"],
  ["请假", "excused"],
  ["出差", "approved"],
  ["外出", "approved"],
  ["加班", "approved"],
  ["外出,外勤", "approved"],
  ["缺卡", "missing"],
  ["未打卡", "missing"],
  ["打卡无效:此记录已被更新", "void"],
  ["打卡无效：此记录已被更新", "void"],
  ["打卡无效", "void"],
  ["管理员张三改为迟到", "unknown"],
  ["月球打卡", "unknown"],
] as const;

for (const [text, meaning] of results) {
  test(`${text} is ${meaning}`, () => assert.equal(readResult(text), meaning));
}

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
