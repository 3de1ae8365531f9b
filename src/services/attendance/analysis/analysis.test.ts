import assert from "node:assert/strict";
import { test } from "node:test";
import { summaryRow } from "#services/attendance/record-contract.ts";
import { standardSettings } from "#services/attendance/model.ts";
import { makeEmployeeMonth } from "#test/attendance/employee-month.ts";
import { type Colleague, department, type Made, madeFields, nothing } from "#test/attendance/fictitious-department.ts";
import { pick } from "#test/pick.ts";
import { analyseMonth, type SummaryRow } from "./summary-row.ts";

const generations = { 2020: 0, 2026: 1 } as const;

function analyse({ cells = {}, ...facts }: Colleague, generation: keyof typeof generations) {
  const written = Object.entries(cells).map(([day, pair]) => [day, pair[generations[generation]]]);
  return analyseMonth(makeEmployeeMonth({ ...facts, cells: Object.fromEntries(written) }), standardSettings);
}

const toMade = (row: SummaryRow): Made =>
  Object.fromEntries(madeFields.map((field) => [field, row[field]])) as unknown as Made;

for (const generation of [2020, 2026] as const) {
  for (const colleague of department) {
    test(`${generation}: ${colleague.about}`, () => {
      const { row, findings } = analyse(colleague, generation);
      assert.deepEqual(toMade(row), { ...nothing, ...colleague.row });
      assert.deepEqual(pick(findings.warnings, "zh"), colleague.warnings ?? []);
    });
  }
}

test("the row has the contract's fields in the contract's order", () => {
  const { row } = analyseMonth(
    makeEmployeeMonth({ cells: { 1: "正常" }, copied: { numberOfLate: "3", workHours: "48小时59分钟" } }),
    standardSettings,
  );
  assert.deepEqual(Object.keys(row), Object.keys(summaryRow.shape));
  assert.deepEqual(summaryRow.parse(row), row);
  assert.deepEqual([row.numberOfLate, row.workHours, row.sickLeaveDay], ["3", "48小时59分钟", ""]);
  assert.equal((row as Record<string, unknown>)["oneOfMonth"], "正常");
});

test("edges of buckets and keywords of campuses are settings", () => {
  const settings = {
    campuses: [
      { campus: 0, keywords: ["火车站地铁口"] },
      { campus: 2, keywords: ["站前路", "Wifi-h"] },
      { campus: 1, keywords: ["火车站"] },
    ],
    bucketEdges: [5, 10],
  } as const;
  const { row, findings } = analyseMonth(
    makeEmployeeMonth({
      punches: [
        [4, "08:30", "08:35", "迟到", "火车站 站前路1号"],
        [5, "08:30", "08:36", "迟到", "WIFI-HJH"],
        [6, "08:30", "08:41", "迟到", "火车站"],
        [7, "08:30", "08:20", "正常", "火车站地铁口"],
        [8, "08:30", "08:20", "正常", "别处"],
      ],
    }),
    settings,
  );
  assert.deepEqual([row.leTwentyLateNumber, row.lequalThirtyLateNumber, row.geThirtyLateNumber], [1, 1, 1]);
  assert.deepEqual([row.daysOfAttendanceInHuangjiahu, row.daysOfAttendanceInMoxuanhu], [1, 2]);
  assert.deepEqual([row.abnormalClockNumber, [...findings.strangeAddresses.keys()]], [2, ["别处"]]);
});

test("rows of other months are left out", () => {
  const input = makeEmployeeMonth({ punches: [[4, "08:30", "08:20", "正常", "黄家湖"]] });
  const punches = input.punches.flatMap((punch) => [
    punch,
    { ...punch, day: punch.day + 31 },
    { ...punch, day: punch.day - 4 },
  ]);
  assert.equal(analyseMonth({ ...input, punches }, standardSettings).row.attendanceDays, 1);
});
