import assert from "node:assert/strict";
import { test } from "node:test";
import { campus1, makeEmployeeMonth } from "#test/attendance/employee-month.ts";
import { analyseMonth } from "./analysis.ts";
import { standardSettings } from "./model.ts";
import { compareRows, previewChange } from "./row-changes.ts";

const late = makeEmployeeMonth({ punches: [[4, "08:30", "08:55", "迟到", campus1]] });
const onTime = makeEmployeeMonth({ name: "志远", punches: [[4, "08:30", "08:20", "正常", campus1]] });
const wider = { ...standardSettings, bucketEdges: [25, 30] } as const;
const rowsOf = (settings: typeof wider | typeof standardSettings) =>
  [late, onTime].map((input) => analyseMonth(input, settings).row);

test("a change of the settings shows in the rows that it changes, field by field", () => {
  assert.deepEqual(previewChange(rowsOf(standardSettings), rowsOf(wider)), {
    changed: 1,
    rows: [
      {
        workName: "安宁",
        userId: "012345678901-1234567890",
        workNum: "0042",
        changes: [
          { field: "leTwentyLateNumber", before: "0", after: "1" },
          { field: "lequalThirtyLateNumber", before: "1", after: "0" },
        ],
      },
    ],
  });
});

test("of many changed rows the first hundred are shown, and all are counted", () => {
  const [before, after] = [standardSettings, wider].map((settings) =>
    Array.from({ length: 150 }, () => analyseMonth(late, settings).row),
  );
  const { changed, rows } = previewChange(before ?? [], after ?? []);
  assert.deepEqual([changed, rows.length], [150, 100]);
});

test("equal rows differ in nothing, and rows of other people are refused", () => {
  const [row] = rowsOf(standardSettings);
  assert.ok(row);
  assert.deepEqual(compareRows(row, { ...row }), []);
  assert.throws(() => previewChange([row], []));
});
