import assert from "node:assert/strict";
import { test } from "node:test";
import { analyseMonth } from "#services/attendance/analysis/summary-row.ts";
import { standardSettings } from "#services/attendance/model.ts";
import { campus1, makeEmployeeMonth } from "#test/attendance/employee-month.ts";
import { compareRows } from "./settings-routes.ts";

const late = makeEmployeeMonth({ punches: [[4, "08:30", "08:55", "迟到", campus1]] });
const { row } = analyseMonth(late, standardSettings);

test("a change of the settings shows field by field", () => {
  const wider = { ...standardSettings, bucketEdges: [25, 30] } as const;
  assert.deepEqual(compareRows(row, analyseMonth(late, wider).row), [
    { field: "leTwentyLateNumber", before: "0", after: "1" },
    { field: "lequalThirtyLateNumber", before: "1", after: "0" },
  ]);
});

test("equal rows differ in nothing", () => {
  assert.deepEqual(compareRows(row, { ...row }), []);
});
