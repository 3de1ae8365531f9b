import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { monthOf, readAll, readSheets, withFile } from "#test/attendance/reading-fixture.ts";
import { makePunches, originalSheet, writeBook } from "#test/attendance/workbooks.ts";
import { normalize } from "./headings.ts";
import { mapDays } from "./times.ts";

const marks = (count: number): string => "\u0315".repeat(count / 2) + "\u0316".repeat(count / 2);

// Normalising a long run of combining marks takes quadratic time.
test("only a heading of limited length is normalised", () => {
  assert.equal(normalize("　工 作 时长（分钟）"), "工作时长(分钟)");
  assert.equal(normalize(marks(300)), "");
});

test("1,000 columns that may be days do not take quadratic time", () => {
  let reads = 0;
  const labels = Array.from({ length: 1000 }, (_, column) => ({
    column,
    get label(): string {
      reads += 1;
      return column === 999 ? "77" : "日";
    },
  }));
  mapDays(labels, { start: "2025-05-01", end: "2026-05-31" }, { month: "2026-05", periodStart: 1 });
  assert.ok(reads < 20 * labels.length, `${reads} looks at 1,000 labels`);
});

test("what is long in a cell that is read stays whole", async () => {
  const long = "长".repeat(30_000);
  const { month } = await readSheets([monthOf(2026, { name: long, days: [long] })]);
  assert.deepEqual([month[0]?.name, month[0]?.days[0]], [long, long]);
});

test("a long sheet is read whole, in memory that does not grow with it", atLength, async () => {
  await withFile(async (file) => {
    const lines = makePunches("2026-05", 800, 60_000, 1);
    await writeBook(file, [originalSheet({ generation: 2026, start: "2026-05-01", end: "2026-05-31", lines })]);
    const before = process.memoryUsage.rss();
    let peak = before;
    const { original } = await readAll({
      path: file,
      onProgress: () => (peak = Math.max(peak, process.memoryUsage.rss())),
    });
    assert.equal(original.length, 60_000);
    assert.ok(peak - before < 200e6, `${Math.round((peak - before) / 1e6)} MB`);
    const expected = [...makePunches("2026-05", 800, 60_000, 1)].map(
      (line) => `${line.userId} ${line.time} ${line.result} ${line.address}`,
    );
    assert.deepEqual(
      original.map((columns) => `${columns[2]} ${columns[6]} ${columns[7]} ${columns[8]}`),
      expected,
    );
  });
});
