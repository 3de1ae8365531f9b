/**
 * Writes a workbook of 24 columns from generated rows, with hucre and with the platform's writer, each in its own
 * process: seconds, CPU time, file size, longest event loop block, memory above idle.
 *   node bench/spreadsheet-write.ts [rows] [batch]
 */
import { spawnSync } from "node:child_process";
import { writeXlsxStream } from "hucre/xlsx";
import { writeWorkbook } from "#platform/workbooks/index.ts";

const COLUMN_COUNT = 24;
const rowCount = Number(process.argv[2] ?? 200_000);
const batchSize = Number(process.argv[3] ?? 1000);
const subject = process.argv[4];
const headers = Array.from({ length: COLUMN_COUNT }, (_, index) => `列${index}`);

function makeRow(index: number): (string | number | null)[] {
  return headers.map((_, column) => {
    if (column % 6 === 0) return index * 7 + column;
    if (column === 1) return `13800${String(index).padStart(6, "0")}`;
    if (column === 2) return `报告人${index}`;
    if (column === 3) return index % 5 === 0 ? `备注，一段较长的文字说明 ${index}` : null;
    if (column === 4) return `2026-11-20 08:${String(index % 60).padStart(2, "0")}:00`;
    return `学院${index % 37}-${column}`;
  });
}

async function* makeBatches(): AsyncGenerator<(string | number | null)[][]> {
  for (let from = 0; from < rowCount; from += batchSize) {
    const size = Math.min(batchSize, rowCount - from);
    yield Array.from({ length: size }, (_, index) => makeRow(from + index));
  }
}

async function* makeRows(): AsyncGenerator<(string | number | null)[]> {
  for (let index = 0; index < rowCount; index++) yield makeRow(index);
}

function startWriting(name: string): AsyncIterable<Uint8Array> {
  if (name === "platform") {
    return writeWorkbook({
      sheetName: "S",
      columns: headers.map((header) => ({ header })),
      rows: makeBatches(),
    });
  }
  const columns = headers.map((header) => ({ header, width: 14 }));
  return writeXlsxStream(makeRows(), {
    name: "S",
    columns,
    freezePane: { rows: 1 },
    zip64: true,
  }) as never;
}

async function measure(name: string): Promise<void> {
  const idleBytes = process.memoryUsage.rss();
  const started = performance.now();
  let [last, longestBlockMs, peakBytes, fileBytes] = [started, 0, 0, 0];
  const timer = setInterval(() => {
    const now = performance.now();
    longestBlockMs = Math.max(longestBlockMs, now - last - 1);
    last = now;
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, 1);
  for await (const chunk of startWriting(name)) fileBytes += chunk.length;
  clearInterval(timer);
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  const aboveIdleMb = ((peakBytes - idleBytes) / 1e6).toFixed(0);
  const cpuSeconds = (process.cpuUsage().user / 1e6).toFixed(2);
  console.log(
    `${name}: ${rowCount} rows ${seconds} s, CPU ${cpuSeconds} s, ${(fileBytes / 1e6).toFixed(1)} MB, ` +
      `longest block ${longestBlockMs.toFixed(1)} ms, ${aboveIdleMb} MB above idle`,
  );
}

if (subject !== undefined) await measure(subject);
else {
  for (const name of ["hucre", "platform"]) {
    const file = import.meta.filename;
    spawnSync(process.execPath, [file, String(rowCount), String(batchSize), name], {
      stdio: "inherit",
    });
  }
}
