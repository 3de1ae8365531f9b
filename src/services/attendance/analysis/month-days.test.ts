import assert from "node:assert/strict";
import { test } from "node:test";
import { countDays } from "#services/attendance/days.ts";
import { toDayColumns } from "./summary-row.ts";

test("months have the days of the calendar", () => {
  assert.deepEqual(["2024-02", "2026-02", "2100-02", "2026-04", "2026-12"].map(countDays), [29, 28, 28, 30, 31]);
});

test("lines of a day cell are joined, empty ones left out", () => {
  const columns = toDayColumns(["正常", "\n上班3缺卡\n下班3缺卡\n", "普通出勤:正常\n(08:22,18:11)"]);
  assert.equal(Object.keys(columns).length, 31);
  assert.equal(columns["oneOfMonth"], "正常");
  assert.equal(columns["twoOfMonth"], "上班3缺卡；下班3缺卡");
  assert.equal(columns["threeOfMonth"], "普通出勤:正常；(08:22,18:11)");
  assert.equal(columns["thirtyOneOfMonth"], "");
});
