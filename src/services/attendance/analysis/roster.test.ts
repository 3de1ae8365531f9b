import assert from "node:assert/strict";
import { test } from "node:test";
import { openRoster, type SheetRow, toPersonKey } from "./people.ts";

const row = (number: number, name: string, userId = "", group = "全校考勤", workNumber = ""): SheetRow => ({
  row: number,
  name,
  userId,
  workNumber,
  group,
  department: "",
});

/** Who has which rows, `name import/row import/row`. */
function compose(sheets: readonly (readonly SheetRow[])[], settled = new Map()): string[] {
  const roster = openRoster(settled);
  for (const [index, rows] of sheets.entries()) roster.add(index + 1, rows);
  return roster
    .list()
    .map(({ name, imports, rows }) => [name, ...imports.map((each, at) => `${each}/${rows[at]}`)].join(" "));
}

test("somebody of several sheets is one employee, in the words of the last", () => {
  const sheets = [
    [row(5, "安宁", "u1"), row(6, "志远", "u2")],
    [row(5, "新人", "u3"), row(6, "安宁（离职）", "u1", "后勤")],
    [row(9, "志远")],
  ];
  assert.deepEqual(compose(sheets), ["安宁（离职） 1/5 2/6", "志远 1/6 3/9", "新人 2/5"]);
});

test("rows that share a UserId in one sheet are told apart by their group in the next", () => {
  const [a, b] = [row(5, "安宁", "u1", "甲"), row(6, "安宁", "u1", "乙")];
  assert.deepEqual(
    compose([
      [a, b],
      [b, a],
    ]),
    ["安宁 1/5 2/5", "安宁 1/6 2/6"],
  );
  assert.deepEqual(compose([[a, b], [b]]), ["安宁 1/5", "安宁 1/6 2/6"]);
  assert.deepEqual(compose([[a], [a, b]]), ["安宁 1/5 2/5", "安宁 2/6"]);
  // Neither group is that of the first sheet: nobody is guessed.
  assert.deepEqual(compose([[row(5, "安宁", "u1", "丙")], [a, b]]), ["安宁 1/5", "安宁 2/5", "安宁 2/6"]);
});

test("a row without a UserId does not take the place of the one with it", () => {
  assert.deepEqual(compose([[row(5, "安宁", "u1")], [row(7, "安宁"), row(8, "安宁", "u1")]]), [
    "安宁 1/5 2/8",
    "安宁 2/7",
  ]);
});

test("a settled row is the employee's or nobody's, and its own where the employee is not there", () => {
  const sheets = [[row(5, "安宁", "u1"), row(6, "小安"), row(7, "测试账号")], [row(5, "小安")]];
  const decide = (userId: string) =>
    new Map([
      [toPersonKey(row(6, "小安")), { userId, group: "" }],
      [toPersonKey(row(7, "测试账号")), { userId: "", group: "" }],
    ]);
  assert.deepEqual(compose(sheets, decide("u1")), ["安宁 1/5 1/6 2/5"]);
  assert.deepEqual(compose(sheets, decide("u9")), ["安宁 1/5", "小安 1/6", "小安 2/5"]);
});
