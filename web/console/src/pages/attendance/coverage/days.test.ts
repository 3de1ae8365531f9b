import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Covered,
  intersect,
  listRanges,
  listStates,
  rangeOfMonth,
} from "#console/pages/attendance/coverage/days.ts";

const month = "2026-02";
const covered: readonly Covered[] = [
  { sheet: "month", from: "2026-02-01", to: "2026-02-07" },
  { sheet: "month", from: "2026-02-15", to: "2026-02-21" },
  { sheet: "original", from: "2026-02-01", to: "2026-02-10" },
];

test("days are there, lacking when they are over or another sheet has them, or still to come", () => {
  const statesOf = (sheet: Covered["sheet"]) => listStates(month, covered, sheet, "2026-02-12");
  const summary = statesOf("month");
  assert.equal(summary.length, 28);
  assert.deepEqual(listRanges(month, summary, "there"), [
    { from: "2026-02-01", to: "2026-02-07" },
    { from: "2026-02-15", to: "2026-02-21" },
  ]);
  assert.deepEqual(listRanges(month, summary, "lacking"), [{ from: "2026-02-08", to: "2026-02-11" }]);
  assert.deepEqual(listRanges(month, summary, "later"), [
    { from: "2026-02-12", to: "2026-02-14" },
    { from: "2026-02-22", to: "2026-02-28" },
  ]);
  assert.deepEqual(listRanges(month, statesOf("original"), "lacking"), [
    { from: "2026-02-11", to: "2026-02-11" },
    { from: "2026-02-15", to: "2026-02-21" },
  ]);
});

test("ranges are cut to what they share", () => {
  assert.deepEqual(rangeOfMonth("2028-02"), { from: "2028-02-01", to: "2028-02-29" });
  assert.deepEqual(intersect({ from: "2026-01-26", to: "2026-02-03" }, rangeOfMonth(month)), {
    from: "2026-02-01",
    to: "2026-02-03",
  });
  assert.equal(intersect({ from: "2026-01-26", to: "2026-01-31" }, rangeOfMonth(month)), undefined);
});
