import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { readAll, saying, withFile } from "#test/attendance/reading-fixture.ts";
import { identitySheet, makePunches, originalSheet, type Sheet, writeBook } from "#test/attendance/workbooks.ts";

function refusesBook(sheets: readonly Sheet[], expected: object | ((error: unknown) => boolean)): Promise<void> {
  return withFile(async (file) => {
    await writeBook(file, sheets);
    await assert.rejects(readAll({ path: file }), expected);
  });
}

test("a workbook without any of the sheets is refused, and so is one whose sheets are empty", async () => {
  await refusesBook([{ name: "工资表", head: [["姓名", "部门", "应发"]], rows: [["赵安", "教务处", 5000]] }], {
    reason: "no-sheet",
  });
  await refusesBook([{ name: "Sheet1", head: [], rows: [] }], { reason: "no-sheet" });
  const headings = ["姓名", "考勤结果"];
  await refusesBook(
    [{ name: "月度汇总", head: [], rows: [] }],
    saying("missing-heading", { sheet: "月度汇总", headings }),
  );
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

test("a workbook whose rows are all of another month is read as none, and said so", async () => {
  await withFile(async (file) => {
    const sheet = originalSheet({
      generation: 2026,
      start: "2026-04-01",
      end: "2026-05-31",
      lines: makePunches("2026-04", 5, 100, 1),
    });
    await writeBook(file, [sheet, identitySheet([])]);
    const book = await readAll({ path: file, month: "2026-05" });
    assert.deepEqual([book.original.length, book.skipped], [0, 100]);
  });
});
