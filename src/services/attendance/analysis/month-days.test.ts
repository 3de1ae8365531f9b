import assert from "node:assert/strict";
import { test } from "node:test";
import { dayFields } from "#services/attendance/contract.ts";
import { titleRow, toDayColumns } from "./summary-row.ts";
import { countDays } from "#services/attendance/local-times.ts";

test("a month's days are titled with their weekdays, and past its end with nothing", () => {
  const title = titleRow("2026-02") as Record<string, unknown>;
  assert.equal(title["id"], 202_602);
  assert.equal(title["userId"], "UserId");
  assert.equal(title["workName"], "姓名");
  assert.deepEqual(
    dayFields.slice(0, 8).map((field) => title[field]),
    ["日", "一", "二", "三", "四", "五", "六", "日"],
  );
  assert.equal(title["twentyEightOfMonth"], "六");
  assert.deepEqual(
    dayFields.slice(28).map((field) => title[field]),
    ["", "", ""],
  );
});

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
