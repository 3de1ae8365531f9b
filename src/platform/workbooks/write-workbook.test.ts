import assert from "node:assert/strict";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { readXlsx, streamXlsxRows } from "hucre/xlsx";
import { fromBufferPromise } from "yauzl";
import { countComputing } from "#test/computing.ts";
import type { Cell, Column } from "./sheet-xml.ts";
import { writeWorkbook } from "./write-workbook.ts";

const COLUMNS: Column[] = [{ header: "编号" }, { header: "姓名" }];

function write(rows: Cell[][], more: Partial<Parameters<typeof writeWorkbook>[0]> = {}): Promise<Buffer> {
  return buffer(writeWorkbook({ sheetName: "表", columns: COLUMNS, rows: [rows], ...more }));
}

// hucre shares no code with the writer, so it serves as an independent reader.
async function readBack(bytes: Buffer, sheet?: number): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const row of streamXlsxRows(bytes, sheet === undefined ? {} : { sheet })) rows.push(row.values);
  return rows;
}

async function readPart(bytes: Buffer, name: string): Promise<string> {
  const zip = await fromBufferPromise(bytes, {});
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name) continue;
    const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false });
    return inflateRawSync(await buffer(packed)).toString();
  }
  throw new Error(`There is no ${name}`);
}

async function roundTrip(value: Cell, type?: Column["type"]): Promise<unknown> {
  const column = type === undefined ? { header: "值" } : { header: "值", type };
  const bytes = await write([[value]], { columns: [column] });
  return (await readBack(bytes))[1]?.[0];
}

test("writes headings and rows that another library reads back", async () => {
  const bytes = await write([
    [1, "张三"],
    [2.5, null],
    [null, '李四 <&> "引号" 😀'],
  ]);
  assert.deepEqual(await readBack(bytes), [["编号", "姓名"], [1, "张三"], [2.5], [null, '李四 <&> "引号" 😀']]);
});

test("keeps numbers as numbers and long digit strings as text", async () => {
  for (const same of [0, -12.5, 1e21, "11010519491231002X", "13800138000", true])
    assert.equal(await roundTrip(same), same);
  assert.equal(await roundTrip(42n), 42);
  assert.equal(await roundTrip(1234567890123456789n), "1234567890123456789");
  assert.equal(await roundTrip(Number.NaN), "NaN");
  assert.equal(await roundTrip(17, "text"), "17");
});

test("takes decimal text for a number only in a column of numbers, and only if exact", async () => {
  assert.equal(await roundTrip("12.50", "number"), 12.5);
  assert.equal(await roundTrip("12.50"), "12.50");
  for (const text of ["007", "1234567890123456", "0x10"]) assert.equal(await roundTrip(text, "number"), text);
});

test("text that starts like a formula is a quoted string and keeps its characters", async () => {
  const texts = ["=1+1", "+8613800138000", "-", "@SUM(A1)", "\tx", "\rx", "=cmd|' /C calc'!A0", "＝1+1"];
  for (const text of texts) {
    const bytes = await write([[text]], { columns: [{ header: "值" }] });
    const sheet = await readPart(bytes, "xl/worksheets/sheet1.xml");
    assert.match(sheet, /<c r="A2" s="2" t="inlineStr">/, JSON.stringify(text));
    assert.doesNotMatch(sheet, /<f[ >]/);
    assert.equal((await readBack(bytes))[1]?.[0], text);
  }
  for (const hidden of ["\u0001=1", "\u0000\u001f\ufffe+1", "\u0008@x"]) {
    const bytes = await write([[hidden]], { columns: [{ header: hidden }] });
    const sheet = await readPart(bytes, "xl/worksheets/sheet1.xml");
    assert.match(sheet, /<c r="A2" s="2" t="inlineStr">/, JSON.stringify(hidden));
    assert.match(sheet, /<c r="A1" s="4" t="inlineStr">/, JSON.stringify(hidden));
  }
  const styles = await readPart(await write([]), "xl/styles.xml");
  const formats = styles.slice(styles.indexOf("<cellXfs")).match(/<xf [^>]*>/g) ?? [];
  assert.match(formats[2] ?? "", /numFmtId="49".*quotePrefix="1"/);
});

test("removes what XML forbids, and keeps escapes, line ends and blanks literal", async () => {
  assert.equal(await roundTrip("a\u0000b\u000bc\ufffed"), "abcd");
  assert.equal(await roundTrip("a\ud800b"), "a\ufffdb");
  assert.equal(await roundTrip("_x000D_ _x005F_"), "_x000D_ _x005F_");
  assert.equal(await roundTrip("一\r\n二\n三\r四"), "一\n二\n三\r四");
  assert.equal(await roundTrip("  前后  "), "  前后  ");
});

test("cuts text at 32,767 characters, never inside a pair", async () => {
  assert.equal(await roundTrip("x".repeat(40_000)), "x".repeat(32_767));
  assert.equal(await roundTrip("x".repeat(32_766) + "😀"), "x".repeat(32_766));
});

test("freezes the heading row and puts filters on it", async () => {
  const sheet = await readPart(await write([[1], [2]]), "xl/worksheets/sheet1.xml");
  assert.match(sheet, /<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"\/>/);
  assert.match(sheet, /<autoFilter ref="A1:B3"\/>/);
});

test("begins a new sheet, with the heading again, when one is full", async () => {
  const [batch, most] = [Array.from({ length: 1000 }, () => []), 1_048_575];
  const rows = [...Array.from({ length: 1048 }, () => batch), batch.slice(0, 575), [[6, "x"]]];
  const bytes = await buffer(writeWorkbook({ sheetName: "表", columns: COLUMNS, rows }));
  assert.match(
    await readPart(bytes, "xl/worksheets/sheet1.xml"),
    new RegExp(`<row r="${most + 1}"></row></sheetData>`),
  );
  assert.match(await readPart(bytes, "xl/workbook.xml"), /name="表".*name="表_2"/);
  assert.deepEqual(await readBack(bytes, 1), [
    ["编号", "姓名"],
    [6, "x"],
  ]);
  const exact = await buffer(writeWorkbook({ sheetName: "表", columns: COLUMNS, rows: rows.slice(0, -1) }));
  await assert.rejects(readPart(exact, "xl/worksheets/sheet2.xml"), /There is no/);
});

test("makes any sheet name acceptable", async () => {
  const names = [];
  for (const sheetName of ["a/b:[c]*?", "", "'x'", "长".repeat(40)]) {
    names.push((await readXlsx(await write([], { sheetName }))).sheets[0]?.name);
  }
  assert.deepEqual(names, ["a b  c", "Sheet", "x", "长".repeat(31)]);
});

type Producer = { batches: number; returned: PromiseWithResolvers<void> };

async function* produceForever(producer: Producer): AsyncGenerator<Cell[][]> {
  try {
    for (;;) {
      producer.batches += 1;
      yield Array.from({ length: 500 }, (_, index) => [index, `${Math.random()} ${Math.random()}`]);
    }
  } finally {
    producer.returned.resolve();
  }
}

test("a reader that stops stops the producer, and leaving frees it", async () => {
  const producer: Producer = { batches: 0, returned: Promise.withResolvers() };
  const stream = writeWorkbook({ sheetName: "S", columns: COLUMNS, rows: produceForever(producer) });
  stream.read(1);
  await once(stream, "readable");
  let seen = -1;
  while (seen !== producer.batches) {
    seen = producer.batches;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  assert.ok(seen < 200, `${seen} batches were made for a reader that read nothing`);
  stream.destroy();
  await producer.returned.promise;
});

test("a producer that is slow is returned as soon as its batch arrives, and the reader is freed at once", async () => {
  const [asked, batch] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const returned = Promise.withResolvers<void>();
  async function* produce(): AsyncGenerator<Cell[][]> {
    try {
      asked.resolve();
      await batch.promise;
      yield [[1]];
    } finally {
      returned.resolve();
    }
  }
  const stream = writeWorkbook({ sheetName: "S", columns: COLUMNS, rows: produce() }).resume();
  await asked.promise;
  stream.destroy();
  await once(stream, "close");
  batch.resolve();
  await returned.promise;
});

test("rows that were never asked for are returned too", async () => {
  const returned = Promise.withResolvers<void>();
  const rows = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new Error("asked for a row")),
      return() {
        returned.resolve();
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  writeWorkbook({ sheetName: "S", columns: COLUMNS, rows }).destroy();
  await returned.promise;
});

test("an error of the rows destroys the stream", async () => {
  async function* fail(): AsyncGenerator<Cell[][]> {
    yield [[1, "a"]];
    throw new Error("the database has gone");
  }
  await assert.rejects(
    buffer(writeWorkbook({ sheetName: "S", columns: COLUMNS, rows: fail() })),
    /the database has gone/,
  );
});

test("gives the event loop up while it writes rows from memory", async () => {
  const row = Array.from({ length: 24 }, (_, index) => `文本 ${index}`);
  const batches = Array.from({ length: 40 }, () => Array.from({ length: 1000 }, () => row));
  const columns = row.map((header) => ({ header }));
  let [longestMs, isWritten, computed] = [0, false, countComputing()];
  const look = (): void => {
    longestMs = Math.max(longestMs, computed());
    computed = countComputing();
    if (!isWritten) setImmediate(look);
  };
  setImmediate(look);
  await buffer(writeWorkbook({ sheetName: "S", columns, rows: batches }));
  isWritten = true;
  assert.ok(longestMs > 0 && longestMs < 100, `${longestMs} ms`);
});
