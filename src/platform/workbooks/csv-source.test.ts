import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import iconv from "iconv-lite";
import { DEFAULT_LIMITS } from "./limits.ts";
import { openWorkbook } from "./open-workbook.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "csv-source-"));
});
after(() => rm(folder, { recursive: true }));

async function read(content: string | Buffer, limits = {}, columns?: number[]): Promise<[number, ...string[]][]> {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, content);
  const source = (await openWorkbook(path, { ...DEFAULT_LIMITS, ...limits })).sheets[0]?.open();
  const rows: [number, ...string[]][] = [];
  assert.ok(source !== undefined);
  if (columns !== undefined) source.choose(columns);
  for await (const part of source.run(({ row, raws }) => rows.push([row, ...raws]))) assert.ok(part <= 1);
  return rows;
}

test("as many rows as are allowed may end in a line end", async () => {
  assert.equal((await read("a\r\nb\r\n", { maxRows: 2 })).length, 2);
  await assert.rejects(read("a\nb\n\n", { maxRows: 2 }), { reason: "rows" });
});

test("GB18030 is read whatever stands at the start of a piece of it; a mark of UTF-8 before it is refused", async () => {
  // The bytes of a mark of UTF-8 are the beginning of two characters of GB18030.
  const marked = Buffer.from([0xef, 0xbb, 0xbf, 0xd5]);
  const csv = Buffer.concat([Buffer.alloc(64 * 1024 - 1, "x\n"), Buffer.from(","), marked]);
  assert.deepEqual((await read(csv)).at(-1), [32_768, "x", iconv.decode(marked, "gb18030", { stripBOM: false })]);
  await assert.rejects(read(Buffer.concat([marked, Buffer.from("\n1")])), { reason: "bad-encoding" });
});
