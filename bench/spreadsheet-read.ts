/**
 * Reads a sheet of 16 columns, with inline and with shared strings, with hucre and with the platform's reader, each in
 * its own process: seconds, CPU time, longest event loop block, memory above idle.
 *   node bench/spreadsheet-read.ts [rows]
 */
import { spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { streamXlsxRows, writeXlsxStream } from "hucre/xlsx";
import { readTable, writeWorkbook } from "#platform/workbooks/index.ts";

const COLUMN_COUNT = 16;
const rowCount = Number(process.argv[2] ?? 300_000);
const [subject, path] = process.argv.slice(3);
const headers = Array.from({ length: COLUMN_COUNT }, (_, index) => `列${index}`);

function* makeBatches(): Generator<(string | number)[][]> {
  for (let from = 0; from < rowCount; from += 1000) {
    yield Array.from({ length: Math.min(1000, rowCount - from) }, (_, index) =>
      headers.map((_, column) => (column % 4 === 0 ? from + index : `文本 ${(from + index) % 5000}-${column}`)),
    );
  }
}

async function countPlatform(file: string): Promise<number> {
  const headings = headers.map((text) => ({ key: text, texts: [text], required: true }));
  let count = 0;
  for await (const batch of readTable({ path: file, headings })) count += batch.length;
  return count;
}

async function countHucre(file: string): Promise<number> {
  let count = -1;
  for await (const _ of streamXlsxRows(await readFile(file))) count += 1;
  return count;
}

async function measure(name: string, file: string): Promise<void> {
  const idleBytes = process.memoryUsage.rss();
  const started = performance.now();
  let [last, longestBlockMs, peakBytes] = [started, 0, 0];
  const timer = setInterval(() => {
    const now = performance.now();
    longestBlockMs = Math.max(longestBlockMs, now - last - 1);
    last = now;
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, 1);
  const count = await (name === "hucre" ? countHucre(file) : countPlatform(file));
  clearInterval(timer);
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  const aboveIdleMb = ((peakBytes - idleBytes) / 1e6).toFixed(0);
  console.log(
    `${name}: ${count} rows ${seconds} s, CPU ${(process.cpuUsage().user / 1e6).toFixed(2)} s, ` +
      `longest block ${longestBlockMs.toFixed(1)} ms, ${aboveIdleMb} MB above idle`,
  );
}

async function writeInputs(folder: string): Promise<string[]> {
  const [inline, shared] = [join(folder, "inline.xlsx"), join(folder, "shared.xlsx")];
  const columns = headers.map((header) => ({ header }));
  await pipeline(writeWorkbook({ sheetName: "S", columns, rows: makeBatches() }), createWriteStream(inline));
  const rows = [...makeBatches()].flat();
  await pipeline(writeXlsxStream(rows, { name: "S", columns, inlineStrings: false }), createWriteStream(shared));
  return [inline, shared];
}

if (subject !== undefined && path !== undefined) await measure(subject, path);
else {
  const folder = await mkdtemp(join(tmpdir(), "spreadsheet-read-"));
  for (const file of await writeInputs(folder)) {
    console.log(file.slice(folder.length + 1));
    for (const name of ["hucre", "platform"]) {
      spawnSync(process.execPath, [import.meta.filename, String(rowCount), name, file], {
        stdio: "inherit",
      });
    }
  }
  await rm(folder, { recursive: true });
}
