import assert from "node:assert/strict";
import { test } from "node:test";
import { daysOf } from "./days.ts";
import { addFigures, type ColumnKinds, planFigures, type SheetFigures, watchKinds } from "./figures.ts";
import { type CopiedField, copiedFields } from "./model.ts";

const month = daysOf({ month: "2026-05", periodStart: 1 });
const days: ColumnKinds = { privateAffairLeaveDay: { unit: "", writing: "number" } };
const hours: ColumnKinds = { privateAffairLeaveDay: { unit: "小时", writing: "number" } };
const sheet = (importId: number, first: number, last: number, kinds: ColumnKinds = {}): SheetFigures => ({
  importId,
  firstDay: month.firstDay + first - 1,
  lastDay: month.firstDay + last - 1,
  kinds,
});
const plan = (...newestFirst: SheetFigures[]) => {
  const { sources, units, warnings } = planFigures(month, newestFirst);
  return { leave: sources.privateAffairLeaveDay, other: sources.restDay, units, told: warnings.map(({ zh }) => zh) };
};

test("ranges inside the month are added up, in the order of days", () => {
  assert.deepEqual(plan(sheet(2, 1, 7, hours), sheet(3, 8, 14), sheet(1, 15, 31, hours)), {
    leave: [2, 3, 1],
    other: [2, 3, 1],
    units: { privateAffairLeaveDay: "小时" },
    told: [],
  });
});

test("of ranges that overlap the newest stands", () => {
  const { other, told } = plan(sheet(3, 6, 12), sheet(2, 1, 7), sheet(1, 13, 31));
  assert.deepEqual(other, [3, 1]);
  assert.deepEqual(told, [
    "05-01 至 05-07 的月度汇总与更新的导入日期重叠，其统计列未计入",
    "统计列只含 05-06 至 05-31 的数据",
  ]);
});

test("of two units the newest stands, in that column alone", () => {
  const { leave, other, units, told } = plan(sheet(3, 15, 31), sheet(2, 8, 14, days), sheet(1, 1, 7, hours));
  assert.deepEqual([leave, other, units], [[2], [1, 2, 3], {}]);
  assert.deepEqual(told, ["事假的单位或写法不一（天、小时），未相加，只取 05-08 至 05-14 的"]);
  const text: ColumnKinds = { workHours: { unit: "", writing: "text" } };
  assert.equal(plan(sheet(2, 8, 14, text), sheet(1, 1, 7, text)).told.length, 1, "texts cannot be added");
  assert.deepEqual(plan(sheet(1, 1, 7, text)).told, []);
});

test("a range beyond the month stands whole by itself alone", () => {
  const crossing = sheet(1, -6, 6, days);
  assert.deepEqual(plan(crossing), {
    leave: [1],
    other: [1],
    units: {},
    told: ["统计列是 2026-04-24 至 2026-05-06 的合计，无法按月拆分"],
  });
  const indivisible = "2026-04-24 至 2026-05-06 的月度汇总跨月，无法按月拆分，其统计列未计入";
  const rest = "统计列只含 05-07 至 05-31 的数据";
  assert.deepEqual(plan(crossing, sheet(2, 7, 31)), { leave: [2], other: [2], units: {}, told: [indivisible, rest] });
  const { other, told } = plan(sheet(3, 25, 40), crossing);
  assert.deepEqual([other, told.at(-1)], [[], "统计列没有可用的数据"]);
  assert.deepEqual(plan(), { leave: [], other: [], units: {}, told: [] });
});

test("figures are added as they are written", () => {
  const add = (writing: "number" | "duration", ...texts: string[]) => addFigures(texts, writing);
  assert.equal(add("number", "5", "4"), "9");
  assert.equal(add("number", "0.1", "0.2", "12.05"), "12.35");
  assert.equal(add("number", "0.5", "0.5"), "1");
  assert.equal(add("number", "", "3.0", "0"), "3.0", "by itself it is as exported");
  assert.equal(add("number", "", ""), "");
  assert.equal(add("number", "", "0", "0"), "0");
  assert.equal(add("duration", "1小时43分钟", "0", "17分钟"), "2小时");
  assert.equal(add("duration", "1小时43分钟", "30分钟"), "2小时13分钟");
  assert.equal(add("duration", "8小时0分钟", "1小时"), "9小时0分钟");
  assert.equal(add("duration", "20分钟", "30分钟"), "50分钟");
  assert.equal(add("duration", "0分钟", "0分钟"), "0分钟");
});

test("what a column holds is seen as its rows go by, blanks and zeros set aside", () => {
  const watcher = watchKinds();
  const none = Object.fromEntries(copiedFields.map((field) => [field, ""])) as Record<CopiedField, string>;
  watcher.see({ ...none, restDay: "0", workHours: "0", numberOfLate: "0.0" });
  watcher.see({ ...none, restDay: "8", workHours: "48小时59分钟", numberOfLate: "2" });
  watcher.see({ ...none, restDay: "9.5", workHours: "8小时", numberOfLate: "两次", sickLeaveDay: "" });
  assert.deepEqual(watcher.list({ units: { restDay: "小时", sickLeaveDay: "小时" }, said: { workHours: "分钟" } }), {
    restDay: { unit: "小时", said: "", writing: "number" },
    workHours: { unit: "", said: "分钟", writing: "duration" },
    numberOfLate: { unit: "", said: "", writing: "text" },
  });
});
