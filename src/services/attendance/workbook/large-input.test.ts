import assert from "node:assert/strict";
import { test } from "node:test";
import { monthOf, readSheets } from "#test/attendance/reading-fixture.ts";
import { normalize } from "./headings.ts";
import { mapDays } from "./times.ts";

// Small files that would cost a core a minute, were a text put into its canonical form, or searched, before its length is
// judged.

/** Combining marks in the order that costs their canonical form most: its time grows with the square of their number. */
const marks = (count: number): string => "\u0315".repeat(count / 2) + "\u0316".repeat(count / 2);

test("a heading is looked at up to its length only", () => {
  assert.equal(normalize("　工 作 时长（分钟）"), "工作时长(分钟)");
  assert.equal(normalize(marks(300)), "");
});

test("1,000 columns that may be days cost no squares", () => {
  let reads = 0;
  const labels = Array.from({ length: 1000 }, (_, column) => ({
    column,
    get label(): string {
      reads += 1;
      return column === 999 ? "77" : "日";
    },
  }));
  mapDays(labels, { start: "2025-05-01", end: "2026-05-31" }, "2026-05");
  assert.ok(reads < 20 * labels.length, `${reads} looks at 1,000 labels`);
});

test("what is long in a cell that is read stays whole", async () => {
  const long = "长".repeat(30_000);
  const { month } = await readSheets([monthOf(2026, { name: long, days: [long] })]);
  assert.deepEqual([month[0]?.name, month[0]?.days[0]], [long, long]);
});
