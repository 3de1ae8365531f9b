import assert from "node:assert/strict";
import { test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { readAll, readSheets, saying, withFile } from "#test/attendance/reading-fixture.ts";
import { identitySheet, makePunches, originalSheet, type Sheet, writeBook } from "#test/attendance/workbooks.ts";

test("a workbook without any of the sheets is refused, and so is one whose sheets are empty", async () => {
  const wages: Sheet = { name: "工资表", head: [["姓名", "部门", "应发"]], rows: [["赵安", "教务处", 5000]] };
  for (const sheet of [wages, { name: "Sheet1", head: [], rows: [] }])
    await assert.rejects(readSheets([sheet]), { reason: "no-sheet" });
  const lacking = saying("missing-heading", { sheet: "月度汇总", headings: ["姓名", "考勤结果"] });
  await assert.rejects(readSheets([{ name: "月度汇总", head: [], rows: [] }]), lacking);
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
  const lines = makePunches("2026-04", 5, 100, 1);
  const sheet = originalSheet({ generation: 2026, start: "2026-04-01", end: "2026-05-31", lines });
  const book = await readSheets([sheet, identitySheet([])], { month: "2026-05" });
  assert.deepEqual([book.original.length, book.skipped], [0, 100]);
});
