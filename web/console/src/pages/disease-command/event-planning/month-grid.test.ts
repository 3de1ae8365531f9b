import assert from "node:assert/strict";
import { test } from "node:test";
import { addMonths, readMonth, toGrid, toSpan } from "#console/pages/disease-command/event-planning/month-grid.ts";

test("a month is whole weeks from Monday to Sunday", () => {
  const days = toGrid("2026-11");
  assert.equal(days.length, 42);
  assert.deepEqual(days[0], { day: "2026-10-26", number: 26, isOfMonth: false });
  assert.equal(days.filter(({ isOfMonth }) => isOfMonth).length, 30);
  assert.equal(toGrid("2027-02").length, 28);
});

test("months go on past the end of the year, and end on their last day", () => {
  assert.equal(addMonths("2026-12", 1), "2027-01");
  assert.equal(addMonths("2026-01", -1), "2025-12");
  assert.deepEqual(toSpan("2028-02"), { startTime: "2028-02-01 00:00:00", endTime: "2028-02-29 23:59:59" });
});

test("what is no month in an address is not taken for one", () => {
  for (const text of [null, "", "2026", "2026-13", "2026-1", "foo"]) assert.equal(readMonth(text), undefined);
  assert.equal(readMonth("2026-09"), "2026-09");
});
