import assert from "node:assert/strict";
import { test } from "node:test";
import { type Candidate, joinPeople as join, openRoster, type SheetRow, toPersonKey } from "./people.ts";

const person = (name: string, userId = "", workNumber = "") => ({ name, userId, workNumber });
const employee = (number: number, name: string, userId = "", workNumber = "") => ({
  employee: number,
  name,
  userId,
  workNumber,
});
const joinPeople = (employees: Parameters<typeof join>[0], people: readonly Candidate[]) =>
  join(employees, people).map((found) => found?.employee ?? null);

test("UserId comes before 工号, and 工号 before the name", () => {
  const employees = [
    employee(5, "安宁", "u1", "001"),
    employee(6, "志远", "u2", "002"),
    employee(7, "文静", "", "003"),
  ];
  const people = [person("志远", "u1", "002"), person("志远", "", "001"), person("安宁", "u9", "003"), person("文静")];
  assert.deepEqual(joinPeople(employees, people), [5, 5, 7, 7]);
});

test("the mark of those who have left is no part of the name", () => {
  const employees = [employee(5, "安宁（离职）"), employee(6, "志远"), employee(7, "文静(已离职)")];
  assert.deepEqual(joinPeople(employees, [person("安宁"), person("志远(离职)"), person("文静（已离职）")]), [5, 6, 7]);
});

test("a name that two people have is nobody's", () => {
  assert.deepEqual(joinPeople([employee(5, "安宁", "u1"), employee(6, "安宁（离职）", "u2")], [person("安宁")]), [
    null,
  ]);
  assert.deepEqual(joinPeople([employee(5, "安宁")], [person("安宁", "", "1"), person("安宁", "", "2")]), [null, null]);
  assert.deepEqual(
    joinPeople([employee(5, "安宁", "u1")], [person("安宁", "u1"), person("安宁", "u2"), person("安宁")]),
    [5, null, null],
  );
});

test("a name does not overrule a key that tells two people apart", () => {
  assert.deepEqual(joinPeople([employee(5, "安宁", "u1", "001")], [person("安宁", "u2")]), [null]);
  assert.deepEqual(joinPeople([employee(5, "安宁", "u1", "001")], [person("安宁", "", "002")]), [null]);
  assert.deepEqual(joinPeople([employee(5, "安宁", "u1", "001")], [person("志远", "u2", "001")]), [null]);
});

test("a 工号 that lost its zeros does not part a person from their name", () => {
  assert.deepEqual(joinPeople([employee(5, "安宁", "u1", "00123")], [person("安宁", "", "123")]), [5]);
});

test("of two employees with one UserId, 工号 or name tells", () => {
  const employees = [employee(5, "安宁", "u1", "001"), employee(6, "志远", "u1", "002")];
  const people = [person("某某", "u1", "002"), person("安宁", "u1"), person("某某", "u1")];
  assert.deepEqual(joinPeople(employees, people), [6, 5, null]);
});

test("nobody without anything is joined to nobody", () => {
  assert.deepEqual(joinPeople([employee(5, "")], [person("")]), [null]);
  assert.deepEqual(joinPeople([], [person("安宁", "u1", "001")]), [null]);
});

test("or the attendance group, where the sheet has it", () => {
  const employees = ["甲", "乙"].map((group, index) => ({ ...employee(index + 5, "安宁", "u1", "001"), group }));
  const [first, second, third] = ["乙", "丙", undefined].map((group) => ({
    ...person("安宁", "u1", "001"),
    ...(group === undefined ? {} : { group }),
  }));
  assert.ok(first && second && third);
  assert.deepEqual(joinPeople(employees, [first, second, third]), [6, null, null]);
});

test("it is said what somebody was found by", () => {
  const employees = [employee(5, "安宁", "u1", "001"), employee(6, "志远", "", "002"), employee(7, "文静")];
  const people = [person("安宁", "u1"), person("志远", "", "002"), person("文静"), person("思源")];
  assert.deepEqual(
    join(employees, people).map((found) => found?.by ?? null),
    ["userId", "workNum", "name", null],
  );
});

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
