import assert from "node:assert/strict";
import { readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { writeXlsx } from "hucre/xlsx";
import iconv from "iconv-lite";
import { buildArchive, buildWorkbook, type FixtureEntry, wrapRows, writeCompoundFile } from "#test/archive-fixture.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";
import {
  type Heading,
  readTable,
  type SpreadsheetError,
  type TableRequest,
  type TableRow,
  writeWorkbook,
} from "./index.ts";
import { streamFromWorker } from "./worker-stream.ts";

type Key = "no" | "name" | "remark";

const HEADINGS: Heading<Key>[] = [
  { key: "no", texts: ["工号", "编号(内部)"], required: true },
  { key: "name", texts: ["姓名"], required: true },
  { key: "remark", texts: ["备注"], required: false },
];

const folder = await makeFolder();

async function save(content: string | Buffer): Promise<string> {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, content);
  return path;
}

const readAll = async (request: TableRequest<Key>): Promise<TableRow<Key>[]> =>
  (await Array.fromAsync(readTable(request))).flat();

const read = async (content: string | Buffer, more: Partial<TableRequest<Key>> = {}): Promise<TableRow<Key>[]> =>
  readAll({ path: await save(content), headings: HEADINGS, ...more });

const readSheet = (rows: string, parts?: Record<string, string>): Promise<TableRow<Key>[]> =>
  read(buildArchive(buildWorkbook(wrapRows(rows), parts)));

const text = (reference: string, value: string): string =>
  `<c r="${reference}" t="inlineStr"><is><t>${value}</t></is></c>`;

const HEADING_ROW = `<row r="1">${text("A1", "工号")}${text("B1", "姓名")}${text("C1", "备注")}</row>`;

const refuses = (promise: Promise<unknown>, reason: string): Promise<void> =>
  assert.rejects(promise, { name: "SpreadsheetError", reason });

// The cells of a row have no prototype, which deepEqual would report as a difference, so they are copied into plain
// objects.
const plain = (rows: readonly TableRow<Key>[]): unknown[] => rows.map(({ row, cells }) => ({ row, ...cells }));

test("reads what the platform writes", async () => {
  const columns = [{ header: "姓名" }, { header: "别的" }, { header: "工号" }];
  const rows = [
    [
      ["张三", "x", "00123"],
      ["=1+1", "x", 7],
      [null, "only surplus", null],
    ],
  ];
  const path = join(folder, "own.xlsx");
  await writeFile(path, writeWorkbook({ sheetName: "S", columns, rows }));
  assert.deepEqual(plain(await readAll({ path, headings: HEADINGS })), [
    { row: 2, name: "张三", no: "00123" },
    { row: 3, name: "=1+1", no: 7 },
  ]);
});

test("reads another library's workbook: shared strings, dates, numbers, booleans", async () => {
  const date = new Date(Date.UTC(2026, 10, 20));
  const rows = [
    ["工号", "姓名", "备注"],
    ["012345678901234567", "李四", date],
    [12.5, true, null],
  ];
  const bytes = await writeXlsx({ sheets: [{ name: "S", rows }] });
  assert.deepEqual(plain(await read(Buffer.from(bytes))), [
    { row: 2, no: "012345678901234567", name: "李四", remark: { date: "2026-11-20" } },
    { row: 3, no: 12.5, name: true },
  ]);
});

test("finds headings by text in any of the first ten rows, in any order, width and spacing", async () => {
  const title = `<row r="1">${text("A1", "月度汇总 统计日期：2026-05-01 至 2026-05-31")}</row>`;
  const heading = `<row r="4">${text("B4", " 姓 名 ")}${text("D4", "编号（内部）")}${text("E4", "别的")}</row>`;
  const data = `<row r="6">${text("B6", "张三")}${text("D6", "1")}${text("E6", "x")}</row>`;
  assert.deepEqual(plain(await readSheet(title + heading + data)), [{ row: 6, name: "张三", no: "1" }]);
});

test("looks for headings in the first ten rows, names those that the most promising lacks, and takes none twice", async () => {
  await refuses(readSheet(`<row r="11">${text("A11", "工号")}${text("B11", "姓名")}</row>`), "missing-heading");
  const rows = `<row r="1">${text("A1", "标题")}</row><row r="2">${text("A2", "姓名")}</row>`;
  await assert.rejects(readSheet(rows), (error: SpreadsheetError) => {
    assert.deepEqual(error.details.headings, ["工号"]);
    return true;
  });
  const twice = `<row r="1">${text("A1", "工号")}${text("B1", "姓名")}${text("C1", "姓名")}</row>`;
  await refuses(readSheet(twice), "double-heading");
});

test("reads an untouched export: wrong dimension, inline strings, references, descriptors, no shared strings", async () => {
  const rows =
    HEADING_ROW +
    `<row r="2"><c r="A2" t="inlineStr"><is><t>&#48;1&#x32;</t></is></c><c r="B2"></c>` +
    `<c r="C2" t="inlineStr"><is><t>08:26  &#xa;11:32</t></is></c></row>`;
  const entries = buildWorkbook(wrapRows(rows)).map((entry) => Object.assign(entry, { descriptor: true }));
  assert.deepEqual(plain(await read(buildArchive(entries))), [{ row: 2, no: "012", remark: "08:26  \n11:32" }]);
});

test("reads rich text, phonetics, prefixes, CDATA, comments, escapes, errors and cells without references", async () => {
  const shared =
    "<x:sst><x:si><x:r><x:t>张</x:t></x:r><x:r><x:t>三</x:t></x:r><x:rPh><x:t>zhang</x:t></x:rPh></x:si></x:sst>";
  const rows =
    HEADING_ROW +
    `<x:row r="3"><x:c t="s"><x:v>0</x:v></x:c><x:c t="str"><x:f>"a&gt;b"</x:f><x:v>a&amp;b_x0041_</x:v></x:c>` +
    `<x:c t="e"><x:v>#N/A</x:v></x:c></x:row>` +
    `<row r="4"><!-- > --><c r='A4' t='inlineStr' x="a>b"><is><t><![CDATA[<工>]]></t></is></c></row>`;
  assert.deepEqual(plain(await readSheet(rows, { "xl/sharedStrings.xml": shared })), [
    { row: 3, no: "张三", name: "a&bA", remark: { error: "#N/A" } },
    { row: 4, no: "<工>" },
  ]);
});

test("tells dates by their format: built in, Chinese, custom, times, 1904, ISO", async () => {
  const styles =
    `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy&quot;年&quot;m&quot;月&quot;"/>` +
    `<numFmt numFmtId="165" formatCode="#,##0.00&quot;day&quot;[Red]"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
    `<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="57"/></cellXfs></styleSheet>`;
  const cells = (row: number, values: [string, string][]): string =>
    `<row r="${row}">${values.map(([style, value], at) => `<c r="${"ABC"[at]}${row}" ${style}><v>${value}</v></c>`).join("")}</row>`;
  const rows =
    HEADING_ROW +
    cells(2, [
      ['s="1"', "46346"],
      ['s="2"', "46346.352083333"],
      ['s="3"', "5"],
    ]) +
    cells(3, [
      ['s="1"', "0.3541666667"],
      ['s="4"', "1"],
      ['t="d"', "2026-11-20T00:00:00"],
    ]) +
    cells(4, [
      ['s="1"', "61"],
      ['s="1"', "-5"],
      ['s="0"', "46346"],
    ]);
  const parts = { "xl/styles.xml": styles };
  assert.deepEqual(plain(await readSheet(rows, parts)), [
    { row: 2, no: { date: "2026-11-20" }, name: { date: "2026-11-20T08:27:00" }, remark: 5 },
    {
      row: 3,
      no: { date: "08:30:00" },
      name: { date: "1900-01-01" },
      remark: { date: "2026-11-20T00:00:00" },
    },
    { row: 4, no: { date: "1900-03-01" }, name: -5, remark: 46346 },
  ]);
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const workbook = `<workbook xmlns:q="${office}"><workbookPr date1904="1"/><sheets><sheet name="S" q:id="rId3"/></sheets></workbook>`;
  const in1904 = await readSheet(HEADING_ROW + cells(2, [['s="1"', "44884"]]), {
    ...parts,
    "xl/workbook.xml": workbook,
  });
  assert.deepEqual(plain(in1904), [{ row: 2, no: { date: "2026-11-20" } }]);
});

test("reads the first visible sheet", async () => {
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const parts = {
    "xl/workbook.xml":
      `<workbook xmlns:r="${office}"><sheets><sheet name="隐" state="hidden" r:id="rId1"/>` +
      `<sheet name="明" r:id="rId2"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels":
      `<Relationships><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/>` +
      `<Relationship Id="rId2" Type="${office}/worksheet" Target="worksheets/other.xml"/></Relationships>`,
    "xl/worksheets/other.xml": wrapRows(`${HEADING_ROW}<row r="2">${text("A2", "visible")}</row>`),
  };
  const bytes = buildArchive(buildWorkbook(wrapRows(`${HEADING_ROW}<row r="2">${text("A2", "hidden")}</row>`), parts));
  assert.deepEqual(plain(await read(bytes)), [{ row: 2, no: "visible" }]);
});

test("refuses what is no readable workbook, each with its reason", async () => {
  const compound = async (...names: string[]): Promise<Buffer> => {
    const path = join(folder, "compound");
    await writeCompoundFile(path, names);
    return readFile(path);
  };
  for (const [reason, content] of [
    ["empty", ""],
    ["not-a-workbook", Buffer.from("%PDF-1.7\n")],
    ["not-a-workbook", Buffer.from([0x89, 0x50, 0, 1, 2, 3])],
    ["picture", Buffer.from("\x89PNG\r\n\x1a\n\0", "latin1")],
    ["picture", Buffer.from("\xff\xd8\xff\xe0\0", "latin1")],
    ["not-a-workbook", buildArchive([{ name: "a.txt", content: "x" }])],
    ["encrypted", buildArchive([{ name: "a.txt", content: "x", flags: 1 }])],
    ["damaged", buildArchive([{ name: "../a", content: "x" }])],
    ["old-xls", await compound("Workbook", "\u0005SummaryInformation")],
    ["encrypted", await compound("EncryptionInfo", "EncryptedPackage")],
  ] as const)
    await refuses(read(content), reason);
});

test("refuses a workbook that is cut short", async () => {
  const path = await save(buildArchive(buildWorkbook(wrapRows(HEADING_ROW))));
  await truncate(path, 700);
  await refuses(readAll({ path, headings: HEADINGS }), "damaged");
  const sheet = wrapRows(`${HEADING_ROW}<row r="2">${text("A2", "1")}</row><row r="3">${text("A3", "2")}</row>`);
  const cut = sheet.slice(0, sheet.lastIndexOf("</row>"));
  await refuses(read(buildArchive(buildWorkbook(cut))), "damaged");
});

test("refuses rows that are there twice or out of order, and a document type", async () => {
  const row = (number: number): string => `<row r="${number}">${text(`A${number}`, "x")}</row>`;
  for (const rows of [row(2) + row(2), row(3) + row(2)]) await refuses(readSheet(HEADING_ROW + rows), "damaged");
  const sheet = `<!DOCTYPE x [<!ENTITY a "aaaa">]>${wrapRows(HEADING_ROW)}`;
  await refuses(read(buildArchive(buildWorkbook(sheet))), "markup");
});

test("keeps to the limits of rows, columns, cell text, row text and shared strings", async () => {
  const row = (cells: string): string => `${HEADING_ROW}<row r="2">${cells}</row>`;
  assert.equal((await readSheet(row(text("A2", "x".repeat(32_767)))))[0]?.cells.no, "x".repeat(32_767));
  await refuses(readSheet(row(text("A2", "x".repeat(32_768)))), "cell-text");
  const shared = `<sst><si><t>${"x".repeat(32_768)}</t></si></sst>`;
  await refuses(readSheet(row(""), { "xl/sharedStrings.xml": shared }), "cell-text");
  await refuses(readSheet(row(text("XFE2", "x"))), "columns");
  await refuses(readSheet(`${HEADING_ROW}<row r="1048577"></row>`), "rows");
  const wide = Array.from({ length: 200 }, () => `<c t="inlineStr"><is><t>${"x".repeat(32_000)}</t></is></c>`).join("");
  const entries = buildWorkbook(wrapRows(`<row r="1">${wide}</row>`));
  await refuses(read(buildArchive(entries.map((entry) => ({ ...entry, stored: true })))), "row-text");
  const many = `<sst>${Array.from({ length: 3000 }, (_, index) => `<si><t>文本${index}</t></si>`).join("")}</sst>`;
  const bytes = buildArchive(buildWorkbook(wrapRows(HEADING_ROW), { "xl/sharedStrings.xml": many }));
  await refuses(read(bytes, { limits: { maxSharedBytes: 10_000 } }), "shared-text");
});

// The size is far more than the process may grow by in this test, but quick to produce.
const BOMB_BYTES = 200 * 1024 ** 2;

function makeBomb(more: Partial<FixtureEntry>): Buffer {
  const start = `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>`;
  const content = Buffer.alloc(BOMB_BYTES, "x");
  content.write(start);
  const bomb = { name: "xl/worksheets/sheet1.xml", content, ...more };
  return buildArchive([...buildWorkbook("").filter((entry) => entry.name !== bomb.name), bomb]);
}

async function growth(work: () => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 5);
  await work().finally(() => clearInterval(timer));
  return (Math.max(peak, process.memoryUsage.rss()) - before) / 1024 ** 2;
}

test("refuses a bomb of one giant cell, by its ratio, by its cell, and when its directory lies", async () => {
  const honest = await save(makeBomb({}));
  const liar = await save(makeBomb({ declaredBytes: 100_000 }));
  const from = (path: string, limits = {}): Promise<unknown> => readAll({ path, headings: HEADINGS, limits });
  const grownMb = await growth(async () => {
    await refuses(from(honest), "ratio");
    await refuses(from(honest, { maxRatio: 5000 }), "cell-text");
    await refuses(from(liar), "damaged");
  });
  assert.ok(grownMb < 150, `${grownMb} MB`);
});

test("the worker meets a bound of memory as an error of its own, and the process lives", async () => {
  const file = new URL("data:text/javascript,let s=[];setInterval(()=>{for(let k=0;k<1e5;k++)s.push({k})},0)");
  const plan = { file, order: null, maxHeapMb: 16, prefetch: 1 };
  await refuses(Array.fromAsync(streamFromWorker(plan)), "memory");
});

test("a worker that falls silent is ended and the file refused", async () => {
  const file = new URL(
    "data:text/javascript,import{parentPort as p}from'node:worker_threads';p.once('message',()=>p.postMessage({kind:'piece',piece:1}));setInterval(()=>{},1e3)",
  );
  const pieces = streamFromWorker({ file, order: null, maxHeapMb: 16, prefetch: 1, idleTimeoutMs: 1500 });
  assert.equal((await pieces.next()).value, 1);
  await refuses(pieces.next(), "memory");
});

test("a reading that is aborted ends with the signal's reason, before it begins too", async () => {
  const file = new URL("data:text/javascript,setInterval(()=>{},1e3)");
  const abort = new AbortController();
  const plan = { file, order: null, maxHeapMb: 16, prefetch: 1, signal: abort.signal };
  const waiting = streamFromWorker(plan).next();
  abort.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  await assert.rejects(streamFromWorker(plan).next(), /enough/);
});

test("leaving the loop early ends the worker", async () => {
  const rows = Array.from({ length: 50_000 }, (_, index) => [String(index), "x"]);
  const path = join(folder, "long.xlsx");
  const columns = [{ header: "工号" }, { header: "姓名" }];
  await writeFile(path, writeWorkbook({ sheetName: "S", columns, rows: [rows] }));
  for await (const [row] of readTable({ path, headings: HEADINGS })) {
    assert.equal(row?.row, 2);
    break;
  }
  assert.equal(process.getActiveResourcesInfo().includes("MessagePort"), false);
});

test("reads CSV in UTF-8 with and without a mark, and in GB18030", async () => {
  const csv = '姓名,工号,备注\r\n张三,007,"一行\r\n两行,""引"""\r\n\r\n李四,8,\r\n';
  const expected = [
    { row: 2, name: "张三", no: "007", remark: '一行\r\n两行,"引"' },
    { row: 4, name: "李四", no: "8" },
  ];
  assert.deepEqual(plain(await read(csv)), expected);
  assert.deepEqual(plain(await read(`\ufeff${csv}`)), expected);
  assert.deepEqual(plain(await read(iconv.encode(csv, "gb18030"))), expected);
});

test("reads CSV whose parts fall on the borders of what is read at once", async () => {
  const lines = Array.from({ length: 8000 }, (_, index) => `"名,${index}""${"字".repeat(index % 7)}",${index}`);
  for (const encode of [(csv: string) => Buffer.from(csv), (csv: string) => iconv.encode(csv, "gb18030")]) {
    for (const end of ["\n", "\r\n", "\r"]) {
      const rows = await read(encode(["姓名,工号", ...lines].join(end)));
      assert.equal(rows.length, 8000);
      for (const [index, row] of rows.entries()) {
        const name = `名,${index}"${"字".repeat(index % 7)}`;
        assert.deepEqual({ row: row.row, ...row.cells }, { row: index + 2, name, no: String(index) });
      }
    }
  }
});

test("refuses CSV that is no text, holds a giant cell, or never closes a quote", async () => {
  await refuses(read("姓名,工号\n张\u0000三,1"), "not-a-workbook");
  await refuses(read(Buffer.concat([Buffer.from("姓名,工号\n"), Buffer.from([0xff, 0xff, 0x20])])), "bad-encoding");
  await refuses(read(`姓名,工号\n${"x".repeat(32_768)},1`), "cell-text");
  await refuses(read('姓名,工号\n"张三,1\n'), "unclosed-quote");
  await refuses(read("姓名,工号\n" + ",".repeat(16_384)), "columns");
  await refuses(read("姓名,工号\n1,2", { limits: { maxFileBytes: 5 } }), "file-bytes");
  const limits = { maxRows: 2 };
  assert.equal((await read("姓名,工号\r\nb,1\r\n", { limits })).length, 1);
  for (const more of ["3,4", "\n"]) await refuses(read(`姓名,工号\nb,1\n${more}`, { limits }), "rows");
});

test("GB18030 is read whatever stands at the start of a piece of it; a mark of UTF-8 before it is refused", async () => {
  // After other text, these bytes are two characters of GB18030, although they begin like UTF-8's byte order mark.
  const marked = Buffer.from([0xef, 0xbb, 0xbf, 0xd5]);
  const head = iconv.encode("姓名,工号\n", "gb18030");
  const csv = Buffer.concat([head, Buffer.alloc(64 * 1024 - head.length - 2, "x\n"), Buffer.from("x,"), marked]);
  assert.equal((await read(csv)).at(-1)?.cells.no, iconv.decode(marked, "gb18030", { stripBOM: false }));
  await refuses(read(Buffer.concat([marked, Buffer.from("\n1")])), "bad-encoding");
});

test("CSV is separated by what stands most in its first line, outside of quotes", async () => {
  for (const [separator, other] of [
    [";", ","],
    ["\t", ";"],
    [",", "\t"],
  ] as const) {
    const head = [`"a${other.repeat(3)}"`, "姓名", "工号"].join(separator);
    const row = ["x", `甲${other}乙`, "7"].join(separator);
    assert.deepEqual(plain(await read(`${head}\n${row}`)), [{ row: 2, name: `甲${other}乙`, no: "7" }]);
  }
});
