import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { deflateSync, crc32 } from "node:zlib";
import iconv from "iconv-lite";
import { detectUploadType } from "#platform/files/file-type.ts";
import { buildArchive, writeCompoundFile } from "#test/archive-fixture.ts";
import { makeFolder } from "#test/embedded-postgres/server.ts";
import { writeTemplate } from "#platform/workbooks/index.ts";
import { countComputing } from "#test/computing.ts";

const folder = await makeFolder();

async function detect(content: string | Buffer, name = "a.bin"): Promise<string | null> {
  const path = join(folder, "upload");
  await writeFile(path, content);
  return (await detectUploadType(path, name))?.extension ?? null;
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}

function makePng(...extra: Buffer[]): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const parts = [pngChunk("IHDR", header), ...extra, pngChunk("IDAT", deflateSync(Buffer.alloc(2)))];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts, pngChunk("IEND", Buffer.alloc(0))]);
}

const JPG = Buffer.from("ffd8ffe000104a46494600010100000100010000ffd9", "hex");
const GIF = Buffer.from("GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000;", "latin1");
const WEBP = Buffer.concat([Buffer.from("RIFF\u001a\u0000\u0000\u0000WEBPVP8L", "latin1"), Buffer.alloc(18)]);

function office(main: string, ...more: string[]): Buffer {
  return buildArchive(["[Content_Types].xml", main, ...more].map((name) => ({ name, content: "<x/>" })));
}

async function detectCompound(names: string[], rootClass = ""): Promise<string | null> {
  const path = join(folder, "compound");
  await writeCompoundFile(path, names, rootClass);
  return (await detectUploadType(path, "a.doc"))?.extension ?? null;
}

test("knows images by their content, whatever they are called", async () => {
  assert.equal(await detect(makePng(), "a.txt"), "png");
  assert.equal(await detect(JPG, "a.png"), "jpg");
  assert.equal(await detect(GIF), "gif");
  assert.equal(await detect(WEBP), "webp");
  assert.equal(await detect(makePng(pngChunk("acTL", Buffer.alloc(8)))), "png");
  assert.equal(await detect(makePng(pngChunk("iCCP", Buffer.alloc(200_000)))), "png");
});

test("knows documents and archives by what is in them", async () => {
  assert.equal(await detect("%PDF-1.7\n%\u00e2\u00e3\n1 0 obj"), "pdf");
  assert.equal(await detect(office("word/document.xml")), "docx");
  assert.equal(await detect(office("xl/workbook.xml")), "xlsx");
  assert.equal(await detect(office("ppt/presentation.xml")), "pptx");
  assert.equal(await detect(buildArchive([{ name: "报告.txt", content: "x" }])), "zip");
  assert.equal(await detect(buildArchive([{ name: "x", content: "x", flags: 1 }])), "zip");
  const template = await writeTemplate([{ key: "a", texts: ["a"], required: true }], { sheetName: "S" });
  assert.equal(await detect(template), "xlsx");
});

test("tells compound files apart by their directory", async () => {
  assert.equal(await detectCompound(["WordDocument", "1Table"]), "doc");
  assert.equal(await detectCompound(["\u0005SummaryInformation", "a", "b", "c", "d", "Workbook"]), "xls");
  assert.equal(await detectCompound(["Book"]), "xls");
  assert.equal(await detectCompound(["PowerPoint Document"]), "ppt");
  const many = Array.from({ length: 40 }, (_, index) => `Data${index}`);
  assert.equal(await detectCompound([...many, "WordDocument"], "0609020000000000c000000000000046"), "doc");
  assert.equal(await detectCompound(many), null);
  assert.equal(await detectCompound(["__properties_version1.0", "__nameid_version1.0"]), null);
  assert.equal(await detectCompound(["EncryptionInfo", "EncryptedPackage"]), null);
  assert.equal(await detectCompound([]), null);
});

test("refuses what an archive is not allowed to be", async () => {
  for (const name of ["META-INF/MANIFEST.MF", "AndroidManifest.xml", "mimetype"]) {
    assert.equal(await detect(buildArchive([{ name, content: "x" }])), null, name);
  }
  assert.equal(await detect(office("xl/workbook.xml", "xl/vbaProject.bin")), null);
  assert.equal(await detect(office("visio/document.xml")), null);
  assert.equal(await detect(office("xl/workbook.xml").subarray(0, 60)), null);
  assert.equal(await detect("PK\u0003\u0004"), null);
});

test("takes a bomb for the archive that it is, and unpacks nothing", async () => {
  const bomb = buildArchive([{ name: "zeros", content: Buffer.alloc(50_000_000), declaredBytes: 2 ** 32 - 2 }]);
  const computed = countComputing();
  assert.equal(await detect(bomb), "zip");
  assert.ok(computed() < 1000);
});

test("takes text in UTF-8 and GB18030; only the name tells CSV", async () => {
  assert.equal(await detect("hello"), "txt");
  assert.equal(await detect("\ufeff姓名,工号\r\n张三,1\r\n", "导入.CSV"), "csv");
  assert.equal(await detect(iconv.encode("姓名,工号\n张三,1\n", "gb18030"), "a.csv"), "csv");
  assert.equal(await detect(iconv.encode("通知：请各单位㐀𠮷", "gb18030"), "a.txt"), "txt");
  assert.equal(await detect("字".repeat(100_000)), "txt");
  assert.equal(await detect("BM of the month"), "txt");
  assert.equal(await detect("MZ，二，三"), "txt");
  assert.equal(await detect("<3 is love"), "txt");
  assert.equal(await detect("a < b and <b>bold</b>"), "txt");
});

test("refuses markup, however it begins", async () => {
  const markups = `<!doctype html><p>x | <!DOCTYPE HTML> | <html> | <HTML> | <svg xmlns="http://www.w3.org/2000/svg"/> |
    <?xml version="1.0"?><svg/> | <script>alert(1)</script> | <!-- a comment --><svg/> | <?php echo 1; | <x | </p>`;
  for (const markup of markups.split(/\s\|\s+/)) {
    for (const start of ["", "\ufeff", " \r\n\t", "\ufeff\n", "\u3000\u200b", "\n".repeat(70_000)]) {
      assert.equal(await detect(start + markup, "a.csv"), null, JSON.stringify(start.slice(0, 5) + markup));
    }
    assert.equal(await detect(Buffer.from(markup, "utf16le"), "a.txt"), null, markup);
  }
});

test("refuses the empty, the binary and other formats", async () => {
  for (const text of ["", "text\u0000text", `${"a".repeat(200_000)}\u0001`, "bell \u0007", "{\\rtf1 hello}"])
    assert.equal(await detect(text), null, text.slice(0, 9));
  assert.equal(await detect("%!PS-Adobe-3.0\n"), null);
  assert.equal(await detect(Buffer.from([0xff, 0xfe, 0x00, 0x41])), null);
  assert.equal(await detect(Buffer.from("4d5a90000300000004000000ffff0000", "hex"), "a.png"), null);
  assert.equal(await detect(Buffer.from("1f8b0800000000000003", "hex"), "a.zip"), null);
  assert.equal(await detect(Buffer.from("7f454c4602010100", "hex")), null);
});
