import assert from "node:assert/strict";
import { test } from "node:test";
import { composeBasis } from "#services/attendance/figures.ts";
import { standardSettings } from "#services/attendance/model.ts";
import {
  basis,
  campus1,
  type DailyLine,
  type Facts,
  makeEmployeeMonth,
  type PunchLine,
} from "#test/attendance/employee-month.ts";
import { holdAgainstExport } from "./against-export.ts";
import { findInMonth } from "./findings.ts";

const punch = (day: number): PunchLine => [day, "08:30", "08:20", "正常", campus1];
const there = (day: number, counted = "1 0 0"): DailyLine => [day, { counted }, ["上班1", "正常"], ["下班1", "正常"]];
const short = (day: number, counted = "1 0 1"): DailyLine => [day, { counted }, ["上班1", "正常"], ["下班1", "缺卡"]];
const sums = (days: string, clockIns = "", clockOuts = ""): NonNullable<Facts["copied"]> => ({
  attendanceDay: days,
  lackOfWorkCardTimes: clockIns,
  lackOfMissingWorkCardTimes: clockOuts,
});

const cases: Readonly<Record<string, Facts & { readonly says: readonly string[] }>> = {
  "the same": { daily: [there(4), short(5)], copied: sums("2", "", "1.0"), says: [] },
  "a day that the export counts as 2": {
    daily: [there(4, "2 0 0"), there(5)],
    copied: sums("3"),
    says: ["attendanceDay 2 3 04"],
  },
  "days that the export counts otherwise, though the sums agree": {
    daily: [there(4, "2 0 0"), there(5, "0 0 0")],
    copied: sums("2"),
    says: ["attendanceDay 2 2 04 05"],
  },
  "the sum alone": {
    daily: [there(4)],
    copied: sums("2", "1"),
    says: ["attendanceDay 1 2", "lackOfWorkCardTimes 0 1"],
  },
  "a missing punch that the export does not count, and one that it does": {
    daily: [short(4, "1 0 0"), there(5, "1 1 0")],
    copied: sums("2", "1", ""),
    says: ["lackOfWorkCardTimes 0 1 05", "lackOfMissingWorkCardTimes 1 0 04"],
  },
  "half a day": { daily: [there(4, "0.5 0 0")], copied: sums("0.5"), says: ["attendanceDay 1 0.5 04"] },
  "a column that 每日统计 lacks": {
    daily: [short(4, "1 - -")],
    copied: sums("1"),
    says: ["lackOfMissingWorkCardTimes 1 0"],
  },
  "rows of two groups": { daily: [there(4), there(4)], copied: sums("2"), says: ["attendanceDay 1 2 04"] },
  "without a count in 每日统计, the day cells": {
    punches: [punch(4), punch(5), punch(6)],
    cells: {
      4: "普通出勤:旷工\n(-)",
      5: "普通出勤:正常\n(08:20,18:05)",
      6: "出差\n(-,-)",
      7: "普通出勤:上班迟到5分钟\n(08:35,18:05)",
    },
    copied: sums("2"),
    says: ["attendanceDay 3 2 04 07"],
  },
  "a sum that is no number": { daily: [there(4, "0 0 0")], copied: sums("一天"), says: ["attendanceDay 1 0 04"] },
};

const hold = (facts: Facts, on = basis): string[] => {
  const input = { ...makeEmployeeMonth(facts), basis: on };
  return holdAgainstExport(input, findInMonth(input, standardSettings)).map(({ figure, ours, theirs, days }) =>
    [figure, ours, theirs, ...days.map((day) => day.slice(8))].join(" "),
  );
};

for (const [about, { says, ...facts }] of Object.entries(cases)) test(about, () => assert.deepEqual(hold(facts), says));

test("a sum of days that are not all computed is not compared, nor one in hours", () => {
  const [spans, [sheet]] = [basis.spans, [{ importId: 1, firstDay: 20_574, lastDay: 20_604, kinds: {} }]] as const;
  const late = spans.map((span) => (span.sheet === "original" ? { ...span, firstDay: span.firstDay + 4 } : span));
  const period = { month: "2026-05", periodStart: 1 };
  const kind = (unit: "" | "小时") => ({ ...sheet, kinds: { attendanceDay: { unit, writing: "number" } as const } });
  const facts = { daily: [there(4), there(5, "2 0 0")], copied: sums("20") };
  assert.deepEqual(hold(facts, composeBasis(period, late, [kind("")])), ["attendanceDay 1 2 05"]);
  assert.deepEqual(hold(facts, composeBasis(period, spans, [kind("小时")])), ["attendanceDay 2 3 05"]);
  assert.deepEqual(hold(facts, composeBasis(period, spans, [kind("")])), ["attendanceDay 2 20 05"]);
  assert.deepEqual(hold(facts, composeBasis(period, [], [])), []);
});
