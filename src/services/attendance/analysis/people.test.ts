import assert from "node:assert/strict";
import { test } from "node:test";
import { type Candidate, joinPeople, openRoster, type SheetRow, toPersonKey } from "./people.ts";

function toPerson(text: string): Candidate {
  const [name = "", userId = "", workNumber = "", group] = text.split(" ").map((part) => part.replace("-", ""));
  return { name, userId, workNumber, ...(group === undefined ? {} : { group }) };
}

const joins: Record<string, [employees: string[], people: string[], found: (string | null)[]]> = {
  "UserId comes before 工号": [["安宁 u1 001", "志远 u2 002"], ["志远 u1 002"], ["0 userId"]],
  "工号 comes before the name": [["安宁 u1 001", "文静 - 003"], ["文静 - 001"], ["0 workNum"]],
  "a UserId that nobody has leaves it to 工号": [["安宁 u1 001", "文静 - 003"], ["安宁 u9 003"], ["1 workNum"]],
  "else the name": [
    ["安宁 u1 001", "文静"],
    ["文静", "思源"],
    ["1 name", null],
  ],
  "without the mark of those who have left": [
    ["安宁（离职）", "文静(已离职)"],
    ["安宁(离职)", "文静"],
    ["0 name", "1 name"],
  ],
  "a name that two employees have is nobody's": [["安宁 u1", "安宁（离职） u2"], ["安宁"], [null]],
  "a name that two people have is nobody's": [["安宁"], ["安宁 - 1", "安宁 - 2"], [null, null]],
  "nor one that another UserId has too": [["安宁 u1"], ["安宁 u1", "安宁 u2", "安宁"], ["0 userId", null, null]],
  "a name does not overrule another UserId": [["安宁 u1 001"], ["安宁 u2"], [null]],
  "nor another 工号": [["安宁 u1 001"], ["安宁 - 002"], [null]],
  "nor does a 工号 overrule another UserId": [["安宁 u1 001"], ["志远 u2 001"], [null]],
  "a 工号 that lost its zeros is the same": [["安宁 u1 00123"], ["安宁 - 123"], ["0 name"]],
  "of two with one UserId, 工号 tells": [["安宁 u1 001", "志远 u1 002"], ["某某 u1 002"], ["1 userId"]],
  "or the name": [
    ["安宁 u1 001", "志远 u1 002"],
    ["安宁 u1", "某某 u1"],
    ["0 userId", null],
  ],
  "or the group": [
    ["安宁 u1 001 甲", "安宁 u1 001 乙"],
    ["安宁 u1 001 乙", "安宁 u1 001 丙"],
    ["1 userId", null],
  ],
  "which not every sheet has": [["安宁 u1 001 甲", "安宁 u1 001 乙"], ["安宁 u1 001"], [null]],
  "nobody without anything is joined to nobody": [["-"], ["-"], [null]],
  "nor anybody where there is no employee": [[], ["安宁 u1 001"], [null]],
};
for (const [what, [employees, people, expected]] of Object.entries(joins))
  test(what, () => {
    const listed = employees.map((text, employee) => ({ ...toPerson(text), employee }));
    const found = joinPeople(listed, people.map(toPerson));
    assert.deepEqual(
      found.map((each) => each && `${each.employee} ${each.by}`),
      expected,
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
  // Neither row has the same group as the row of the first sheet, so there is no match.
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
