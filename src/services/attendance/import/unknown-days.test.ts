import assert from "node:assert/strict";
import { test } from "node:test";
import { collectUnknownDays } from "./told.ts";

test("day results that no rule knows are counted, most first, with the first three places", () => {
  const found = collectUnknownDays("2026-05");
  found.seeMonthRow({ name: "安宁", days: ["正常", "月球\n下班缺卡", "月球", "", "普通出勤:正常\n(08:20,18:05)"] });
  found.seeMonthRow({ name: "志远", days: ["月球", "火星", "月球"] });
  assert.deepEqual(found.list(), [
    { result: "月球", count: 4, examples: ["安宁 2026-05-02", "安宁 2026-05-03", "志远 2026-05-01"] },
    { result: "火星", count: 1, examples: ["志远 2026-05-02"] },
  ]);
});

test("a sheet of nothing else is bounded", () => {
  const found = collectUnknownDays("2026-05");
  for (let index = 0; index < 2_000; index++) found.seeMonthRow({ name: "安宁", days: [`月球${index}号`] });
  assert.equal(found.list().length, 1_000);
});
