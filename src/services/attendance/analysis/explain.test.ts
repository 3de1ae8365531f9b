import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Language } from "#platform/contract/language.ts";
import { dayFields } from "#services/attendance/record-contract.ts";
import { copiedFields, standardSettings } from "#services/attendance/model.ts";
import type { EmployeeMonth } from "#services/attendance/employee-month.ts";
import {
  campus1,
  campus2,
  type DailyLine,
  elsewhere,
  makeEmployeeMonth,
  type PunchLine,
} from "#test/attendance/employee-month.ts";
import { department } from "#test/attendance/fictitious-department.ts";
import { addUp, explainFindings, type Explanation } from "./explain.ts";
import { analyseMonth, type SummaryRow } from "./summary-row.ts";

const notFigures = new Set(["workName", "groupOfCheck", "department", "workNum", "idCard", "userId", ...dayFields]);

// The sums are computed here independently of the explanation's code, so that errors in that code are detected.
function assertAddsUp(row: SummaryRow, explanation: Explanation): void {
  const said = Object.fromEntries(explanation.map(({ field, kind, entries }) => [field, addUp(kind, entries)]));
  const figures = Object.entries(row).filter(([field]) => !notFigures.has(field));
  assert.deepEqual(said, Object.fromEntries(figures.map(([field, value]) => [field, String(value)])));
  for (const { field, kind, value, entries } of explanation) {
    const sum = entries.reduce((total, { counts }) => total + counts, 0);
    assert.equal(value, kind === "number" ? String(sum) : entries.map(({ text }) => text).join("；"), field);
  }
}

function assertIsThere({ summary, daily, punches }: EmployeeMonth, explanation: Explanation): void {
  const rows = {
    month: new Set(summary.sources.map(({ row }) => row)),
    daily: new Set(daily.map(({ row }) => row)),
    original: new Set(punches.map(({ row }) => row)),
  };
  for (const { field, entries } of explanation) {
    for (const { evidence } of entries) {
      assert.ok(evidence.length > 0, `${field} has an entry that nothing bears out`);
      for (const { sheet, row } of evidence) assert.ok(rows[sheet].has(row), `${field} names row ${row} of ${sheet}`);
    }
  }
}

const explainPerson = (input: EmployeeMonth, language: Language = "zh") => {
  const { row, findings } = analyseMonth(input, standardSettings);
  const explanation = explainFindings(input, findings, language);
  assertAddsUp(row, explanation);
  assertIsThere(input, explanation);
  return explanation;
};

for (const generation of [0, 1] as const) {
  test(`the department's rows are explained (${generation === 0 ? 2020 : 2026})`, () => {
    for (const { cells = {}, ...facts } of department) {
      const written = Object.fromEntries(Object.entries(cells).map(([day, pair]) => [day, pair[generation]]));
      explainPerson(makeEmployeeMonth({ ...facts, cells: written }));
    }
  });
}

test("behind a figure stand its day cell and its punches", () => {
  const explanation = explainPerson(
    makeEmployeeMonth({
      cells: { 4: "普通出勤:上班迟到12分钟,普通出勤:下班缺卡\n(08:42,-)" },
      punches: [[4, "08:30", "08:42", "迟到", campus1]],
      copied: { numberOfLate: "1" },
    }),
  );
  const entriesOf = (field: string) => explanation.find((figure) => figure.field === field)?.entries;
  const cell = { sheet: "month", import: 1, row: 5, text: "4日 普通出勤:上班迟到12分钟,普通出勤:下班缺卡；(08:42,-)" };
  const punch = {
    sheet: "original",
    import: 2,
    row: 4,
    text: "考勤时间 2026-05-04 08:30，打卡时间 2026-05-04 08:42，迟到，黄家湖校区_14757",
  };
  assert.deepEqual(entriesOf("leTwentyLateNumber"), [
    { day: "2026-05-04", counts: 1, text: "05-04 08:42 迟到12分钟", evidence: [cell, punch] },
  ]);
  assert.deepEqual(entriesOf("recondOfcardShortageInHuangjiahu"), [
    { day: "2026-05-04", counts: 1, text: "05-04 下班缺卡", evidence: [cell] },
  ]);
  assert.deepEqual(entriesOf("numberOfLate"), [
    { day: "", counts: 0, text: "1", evidence: [{ sheet: "month", import: 1, row: 5, text: "1" }, cell] },
  ]);
});

test("in English the words are English, and what the sheets and the row say stays as it is", () => {
  const explanation = explainPerson(
    makeEmployeeMonth({
      cells: { 4: "上班迟到12分钟,下班缺卡\n(08:42,-)" },
      punches: [[4, "08:30", "08:42", "迟到", campus1]],
    }),
    "en",
  );
  const entriesOf = (field: string) => explanation.find((figure) => figure.field === field)?.entries;
  const cell = { sheet: "month", import: 1, row: 5, text: "Day 4: 上班迟到12分钟,下班缺卡；(08:42,-)" };
  const punch = {
    sheet: "original",
    import: 2,
    row: 4,
    text: "scheduled 2026-05-04 08:30, punched 2026-05-04 08:42, 迟到, 黄家湖校区_14757",
  };
  const text = "05-04 campus 1 (by the first punch at a campus), a punch is missing";
  assert.deepEqual(entriesOf("attendanceDays"), [{ day: "2026-05-04", counts: 1, text, evidence: [cell, punch] }]);
  assert.deepEqual(entriesOf("lateOfRecond")?.[0]?.text, "05-04 08:42 迟到12分钟");
});

test("both rows of a punch that is there twice bear it out", () => {
  const punch = [4, "08:30", "08:42", "迟到", campus1] as const;
  const explanation = explainPerson(makeEmployeeMonth({ punches: [punch, punch] }));
  const [entry] = explanation.find(({ field }) => field === "lateOfRecond")?.entries ?? [];
  const evidence = entry?.evidence.map(({ sheet, row }) => `${sheet} ${row}`);
  assert.deepEqual(evidence, ["original 4", "original 5"]);
});

const clock = (hours: [number, number]) =>
  fc
    .tuple(fc.integer({ min: hours[0], max: hours[1] }), fc.integer({ min: 0, max: 59 }))
    .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join(":"));
const anyTime = fc.oneof(
  { weight: 8, arbitrary: clock([0, 23]) },
  { weight: 1, arbitrary: clock([0, 9]).map((time) => `次日 ${time}`) },
  { weight: 1, arbitrary: fc.constant("") },
);
const results =
  "正常 迟到 严重迟到 旷工迟到 早退 外勤 外勤,早退 补卡审批通过 管理员某某改为正常 打卡无效:重复 打卡无效：重复 请假 出差 外出 加班 缺卡 未打卡 月球打卡";
const result = fc.constantFrom("", ...results.split(" "));
const day = fc.integer({ min: 1, max: 31 });
const address = fc.constantFrom(campus1, campus2, elsewhere, "");
const punch: fc.Arbitrary<PunchLine> = fc.tuple(day, anyTime, anyTime, result, address);
const slot = fc.tuple(
  fc.constantFrom("上班1", "下班1", "上班2", "下班2"),
  fc.constantFrom("正常", "缺卡", "未打卡", "迟到12分钟"),
);
const daily: fc.Arbitrary<DailyLine> = fc
  .tuple(day, fc.array(slot, { maxLength: 4 }))
  .map(([at, slots]): DailyLine => [at, ...slots]);
const pieces = "正常 上班缺卡 下班2缺卡 未打卡 旷工 休息 普通出勤:下班缺卡 早,晚:上班1缺卡 月球 (08:00,-)".split(" ");
const piece = fc.constantFrom("", "事假05-04 08:30到05-04 17:30 8小时", ...pieces);
const cell = fc
  .tuple(fc.array(piece, { maxLength: 4 }), fc.constantFrom(",", "\n"))
  .map(([pieces, between]) => pieces.join(between));
const figure = fc.constantFrom("", "0", "3", "12.05", "48小时59分钟");

const employee: fc.Arbitrary<EmployeeMonth> = fc
  .record({
    department: fc.constantFrom("", "教务处", "墨轩湖校区综合办"),
    group: fc.constantFrom("", "黄家湖全勤"),
    cells: fc.dictionary(day.map(String), cell),
    daily: fc.array(daily, { maxLength: 20 }),
    punches: fc.array(punch, { maxLength: 80 }),
    copied: fc.record(Object.fromEntries(copiedFields.map((field) => [field, figure]))),
  })
  .map(makeEmployeeMonth);

test("the explained entries of any month add up to its row, and name rows that are there", () => {
  fc.assert(
    fc.property(employee, fc.constantFrom("zh", "en"), (input, language) => void explainPerson(input, language)),
    { numRuns: 400 },
  );
});

test("the order in which rows arrive changes nothing", () => {
  fc.assert(
    fc.property(employee, (input) => {
      const mixed = { ...input, punches: input.punches.toReversed() };
      assert.deepEqual(analyseMonth(mixed, standardSettings).row, analyseMonth(input, standardSettings).row);
    }),
    { numRuns: 200 },
  );
});
