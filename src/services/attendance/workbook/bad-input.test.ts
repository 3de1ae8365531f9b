import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { columnLetters } from "#platform/workbooks/sheet-xml.ts";
import { buildArchive, buildWorkbook, wrapRows } from "#test/archive-fixture.ts";
import { atLength } from "#test/at-length.ts";
import { readAll, saying, withFile } from "#test/attendance/reading-fixture.ts";
import { identitySheet, makePunches, originalSheet, type Sheet, writeBook } from "#test/attendance/workbooks.ts";

function refuses(content: string | Buffer, expected: object): Promise<void> {
  return withFile(async (file) => {
    await writeFile(file, content);
    await assert.rejects(readAll({ path: file }), expected);
  });
}

function refusesBook(sheets: readonly Sheet[], expected: object | ((error: unknown) => boolean)): Promise<void> {
  return withFile(async (file) => {
    await writeBook(file, sheets);
    await assert.rejects(readAll({ path: file }), expected);
  });
}

const refusesXml = (rows: string, expected: object): Promise<void> =>
  refuses(buildArchive(buildWorkbook(wrapRows(rows))), expected);

const text = (reference: string, value: string): string =>
  `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`;
const HEADINGS = ["姓名", "工号", "身份证号"]
  .map((heading, column) => text(`${columnLetters(column)}1`, heading))
  .join("");

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

test("10,000 columns are refused where headings are looked for; below them, what stands behind the last one that is read is skipped unseen", async () => {
  const cells = (row: number): string =>
    Array.from({ length: 10_000 }, (_, column) => text(`${columnLetters(column)}${row}`, "x")).join("");
  await refusesXml(`<row r="1">${cells(1)}</row>`, { reason: "columns" });
  const headed = `<row r="1">${HEADINGS}</row>`;
  await refusesXml(`${headed}<row r="40">${text("ZZZ40", "x")}</row>`, { reason: "columns" });
  await withFile(async (file) => {
    await writeFile(
      file,
      buildArchive(
        buildWorkbook(
          wrapRows(
            `${headed}<row r="39">${text("A39", "w")}</row><row r="40">${cells(40)}</row><row r="41">${text("A41", "y")}</row>`,
          ),
        ),
      ),
    );
    const { identity } = await readAll({ path: file });
    assert.deepEqual(
      identity.map(({ row, name }) => [row, name]),
      [
        [39, "w"],
        [40, "x"],
        [41, "y"],
      ],
    );
  });
});

test("document types, text that is no UTF-8 and rows without a number of their own are refused", async () => {
  await refuses(buildArchive(buildWorkbook(`<!DOCTYPE a [<!ENTITY b "c">]>${wrapRows("")}`)), {
    reason: "markup",
  });
  const parts = buildWorkbook("").map((entry) =>
    entry.name.includes("sheet1")
      ? {
          ...entry,
          content: Buffer.concat([
            Buffer.from(
              wrapRows(`<row r="1">${HEADINGS}</row><row r="2"><c r="A2" t="str"><v>#</v></c></row>`).replace(
                "#",
                "\u0001",
              ),
            ),
          ]),
        }
      : entry,
  );
  const sheet = parts.find((entry) => entry.name.includes("sheet1"));
  const content = Buffer.from(sheet?.content ?? "");
  content[content.indexOf(1)] = 0xff;
  await refuses(buildArchive(parts.map((entry) => (entry === sheet ? { ...entry, content } : entry))), {
    reason: "bad-encoding",
  });
  await refusesXml(`<row r="nine">${HEADINGS}</row>`, { reason: "damaged" });
  for (const second of ["1", "2"]) {
    const rows = [text("A2", "赵安"), text("A2", "钱平")].map(
      (cell, index) => `<row r="${index ? second : 2}">${cell}</row>`,
    );
    await refusesXml(`<row r="1">${HEADINGS}</row>${rows.join("")}`, { reason: "damaged" });
  }
});

test("every way to write a cell reads the same", async () => {
  const forms = [
    '<c r="A2" t="inlineStr"><is><t>赵安</t></is></c>',
    "<c r='A2' t = 'inlineStr' ><is><t xml:space='preserve'>赵安</t></is></c>",
    '<c t="inlineStr" s="3" r="A2"><is><r><rPr><b/></rPr><t>赵</t></r><r><t>安</t></r><rPh sb="0" eb="1"><t>zhao</t></rPh></is></c>',
    '<c r="A2" t="str"><f>IF("a"&gt;"b",1)</f><v>赵安</v></c>',
    '<c r="A2" t="inlineStr"><is><t><![CDATA[赵]]>&#23433;</t></is></c>',
    '<!-- </row> --><c r="A2" t="inlineStr"><is><t>&#x8d75;<!-- </c> -->安</t></is></c>',
    '<x:c r="A2" t="inlineStr"><x:is><x:t>赵安</x:t></x:is></x:c>',
  ];
  for (const form of forms) {
    const rows = `<row r="1">${HEADINGS}</row><row r="2" spans="1:3" x14ac:dyDescent="0.2">${form}${text("B2", "7")}<c r="C2"/></row>`;
    await withFile(async (file) => {
      await writeFile(file, buildArchive(buildWorkbook(wrapRows(rows))));
      const { identity } = await readAll({ path: file });
      assert.deepEqual(identity, [{ row: 2, name: "赵安", userId: "", workNumber: "7", idCard: "" }], form);
    });
  }
});

test("dates that are dates, not texts, are read by their format", async () => {
  const headings = ["姓名", "考勤日期", "考勤时间", "打卡时间", "打卡结果", "打卡地址"]
    .map((heading, column) => text(`${columnLetters(column)}1`, heading))
    .join("");
  const row = `${text("A2", "赵安")}<c r="B2" s="1"><v>46146</v></c><c r="C2" s="1"><v>46146.354166666664</v></c><c r="D2" t="d"><v>2026-05-04T08:31:00</v></c>${text("E2", "迟到")}`;
  const parts = buildWorkbook(wrapRows(`<row r="1">${headings}</row><row r="2">${row}</row>`), {
    "xl/styles.xml": '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>',
  });
  await withFile(async (file) => {
    await writeFile(file, buildArchive(parts));
    const { original } = await readAll({ path: file });
    assert.deepEqual(original[0]?.slice(4, 7), ["2026-05-04", "2026-05-04 08:30", "2026-05-04 08:31"]);
  });
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
