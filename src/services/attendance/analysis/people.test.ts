import assert from "node:assert/strict";
import { test } from "node:test";
import { type Candidate, joinPeople as join } from "./people.ts";

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
