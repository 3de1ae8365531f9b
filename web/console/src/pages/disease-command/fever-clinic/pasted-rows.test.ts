import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRows, putRows } from "#console/pages/disease-command/fever-clinic/pasted-rows.ts";

test("rows of a spreadsheet are told from a single text", () => {
  assert.equal(parseRows("示例市第一医院"), undefined);
  assert.equal(parseRows("示例市第一医院\n"), undefined);
  assert.deepEqual(parseRows("甲\t1,005\t4\r\n\r\n乙\t不详"), [
    { hospitalName: "甲", feverClinicCount: 1005, epidemicCount: 4 },
    { hospitalName: "乙", feverClinicCount: null, epidemicCount: null },
  ]);
});

test("pasted rows take the place of those from where they are pasted", () => {
  const rows = [{ hospitalName: "一" }, { hospitalName: "二" }, { hospitalName: "三" }];
  const pasted = [{ hospitalName: "甲" }, { hospitalName: "乙" }];
  assert.deepEqual(putRows(rows, 1, pasted), [rows[0], ...pasted]);
  assert.deepEqual(putRows(rows, 2, pasted), [rows[0], rows[1], ...pasted]);
});
