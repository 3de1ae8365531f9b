import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isPlainMinute,
  listDays,
  mapDays,
  monthRange,
  placeClock,
  readClock,
  readDay,
  readMinute,
  readRange,
} from "./times.ts";

test("days are read in every form that exports and spreadsheet programs give them, and none that does not exist", () => {
  for (const text of ["21-10-08 星期五", "2021/10/8", "2021年10月8日", "2021-10-08T00:00:00"])
    assert.equal(readDay(text), "2021-10-08", text);
  for (const text of [
    "2026-02-30",
    "2026-13-01",
    "2026-00-10",
    "2026-05-00",
    "0000-01-05",
    "总计",
    "",
    "46146",
    "2026-05",
  ])
    assert.equal(readDay(text), null, text);
  assert.equal(readDay("2024-02-29"), "2024-02-29");
  assert.equal(readDay("2100-02-29"), null);
});

test("minutes are read with slashes and seconds too", () => {
  for (const text of ["2020-11-09 08:30", "2020/11/9 8:30", "2020-11-09 08:30:59", "2020-11-09T08:30:00"])
    assert.equal(readMinute(text), "2020-11-09 08:30", text);
  for (const text of [
    "2020-11-09",
    "08:30",
    "2020-11-09 24:00",
    "2020-11-09 08:60",
    "2020-02-30 08:30",
    "0000-01-05 08:30",
    "",
  ])
    assert.equal(readMinute(text), null, text);
});

test("the quick look at a minute agrees with the calendar", () => {
  assert.ok(isPlainMinute("2024-02-29 23:59"));
  for (const text of [
    "2023-02-29 08:30",
    "0000-01-05 08:30",
    "2026-05-04 24:00",
    "2026-05-04 08:60",
    "2026-05-04T08:30",
    "2026/05/04 08:30",
  ]) {
    assert.equal(isPlainMinute(text), false, text);
  }
});

test("a clock of the daily sheet belongs to its day, 次日 to the day after", () => {
  const read = (text: string) => placeClock(readClock(text) ?? "none", "2026-05-31");
  assert.equal(read("08:26"), "2026-05-31 08:26");
  assert.equal(read("次日 02:23"), "2026-06-01 02:23");
  assert.equal(read("08:26:00"), "2026-05-31 08:26");
  assert.equal(read("2026-06-01 02:23"), "2026-06-01 02:23");
  for (const text of ["25:00", "08:61", "缺卡", "-"]) assert.equal(readClock(text), null, text);
});

test("the range of a title is taken where it makes sense", () => {
  assert.deepEqual(readRange("月度汇总表 统计日期：2020-11-09 至 2020-11-13"), {
    start: "2020-11-09",
    end: "2020-11-13",
  });
  assert.deepEqual(readRange("每日汇总 统计日期：2026-05-01至2026-05-31"), { start: "2026-05-01", end: "2026-05-31" });
  for (const title of [
    "月度汇总",
    "2026-05-31 至 2026-05-01",
    "2026-02-30 至 2026-03-01",
    "0001-01-01 至 0001-01-31",
    "2020-01-01 至 2026-05-01",
  ])
    assert.equal(readRange(title), null, title);
  assert.deepEqual(monthRange({ month: "2024-02", periodStart: 1 }), { start: "2024-02-01", end: "2024-02-29" });
  assert.equal(listDays({ start: "2026-04-28", end: "2026-06-02" }).length, 36);
});

const MAY = { start: "2026-05-01", end: "2026-05-31" };
const MAY_LABELS = listDays(MAY).map(
  (day) => ({ 0: "日", 6: "六" })[new Date(day).getUTCDay()] ?? String(Number(day.slice(8))),
);
const label = (texts: readonly string[]) => texts.map((text, index) => ({ column: index + 50, label: text }));

test("columns that the readers do not know may stand before the days", () => {
  const { columns, isCertain } = mapDays(label(["调休", "", ...MAY_LABELS]), MAY, {
    month: "2026-05",
    periodStart: 1,
  });
  assert.deepEqual([columns[0], columns[30], isCertain], [52, 82, true]);
});
