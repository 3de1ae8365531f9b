import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { SpreadsheetError } from "#platform/workbooks/index.ts";
import { type SheetKind, WORKBOOK_LIMITS, type WorkbookPart } from "#services/attendance/workbook/index.ts";
import { readBook } from "#services/attendance/workbook/read-book.ts";
import type { FuzzOrder, FuzzReport } from "./fuzz.ts";
import { makeSpecimens, mutate, openRandom } from "./mutations.ts";

// The fuzzer runs in a thread of its own, so that the main thread can detect a hang.

const SHEETS: readonly SheetKind[] = ["month", "daily", "original", "identity"];
const MONTHS = [null, "2026-05", "2026-06"];
const LINES = {
  original:
    /^\d+\t[^\t]*\t[^\t]*\t[^\t]*\t\d{4}-\d\d-\d\d(\t(\\N|\d{4}-\d\d-\d\d \d\d:\d\d)){2}\t[^\t]*\t[^\t]*\t[^\t]*$/,
  daily:
    /^\d+\t[^\t]*\t[^\t]*\t[^\t]*\t\d{4}-\d\d-\d\d\t[^\t]*\t\[.*\]\t[tf]\t(?:\\N|(?:[\d.]+|-)(?: (?:[\d.]+|-)){2})\t[^\t]*$/,
};

const { seed, rounds } = workerData as FuzzOrder;
const folder = mkdtempSync(path.join(tmpdir(), "attendance-fuzz-"));
try {
  await runRounds();
} finally {
  rmSync(folder, { recursive: true });
}

async function runRounds(): Promise<void> {
  const specimens = await makeSpecimens();
  const file = path.join(folder, "case");
  let [read, refused] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const random = openRandom(seed + round);
    const specimen = specimens[random(specimens.length)];
    if (specimen === undefined) throw new Error("no specimen was made");
    writeFileSync(file, mutate(specimen, random));
    report({ kind: "begun", round, read, refused });
    if (await readCase(file, MONTHS[random(MONTHS.length)] ?? null, round)) read += 1;
    else refused += 1;
  }
  report({ kind: "finished", read, refused });
}

function report(message: FuzzReport): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- the target is a worker thread and not a window
  parentPort?.postMessage(message);
}

async function readCase(file: string, month: string | null, round: number): Promise<boolean> {
  const order = { path: file, sheets: SHEETS, needed: [], month, periodStart: 1, limits: WORKBOOK_LIMITS };
  try {
    for await (const { parts } of readBook(order)) parts.forEach(checkPart);
    return true;
  } catch (error) {
    if (error instanceof SpreadsheetError) return false;
    throw new Error(`seed ${seed + round}: ${error instanceof Error ? error.stack : String(error)}`, { cause: error });
  }
}

function checkPart(part: WorkbookPart): void {
  if (part.kind === "rows" && part.sheet === "month") {
    for (const { days } of part.rows) if (days.length < 28 || days.length > 31) throw new Error(`${days.length} days`);
  }
  if (part.kind !== "copy") return;
  const text = new TextDecoder("utf-8", { fatal: true }).decode(part.text);
  if (text.includes("\0")) throw new Error("a NUL in COPY text");
  const lines = text.split("\n");
  if (lines.pop() !== "" || lines.length !== part.count)
    throw new Error(`${lines.length} lines where ${part.count} were announced`);
  const wrong = lines.find((line) => !LINES[part.sheet].test(line));
  if (wrong !== undefined) throw new Error(`COPY cannot take ${JSON.stringify(wrong)}`);
}
