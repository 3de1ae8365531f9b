// The baselines of the attendance import, each in its own process, which reports the milliseconds to its parent.
//   library <file>             the spreadsheet library reads the file and counts cells
//   copy <file> <database url> COPY of the same rows from memory into a similar table without an index
import { readFile } from "node:fs/promises";
import { streamXlsxRows } from "hucre/xlsx";
import { openCopyIn, openPool } from "#platform/database/index.ts";
import { readWorkbook } from "#services/attendance/workbook/index.ts";

const [kind, file = "", url = ""] = process.argv.slice(2);

async function countCells(): Promise<number> {
  const started = performance.now();
  let cells = 0;
  for await (const { values } of streamXlsxRows(await readFile(file))) cells += values.length;
  if (cells < 1) throw new Error("the spreadsheet library read no cells");
  return performance.now() - started;
}

async function copyRows(): Promise<number> {
  const chunks: Uint8Array[] = [];
  for await (const part of readWorkbook({ path: file, sheets: ["original"], needed: [] }))
    if (part.kind === "copy") chunks.push(part.text);
  const pool = openPool(url, { connections: 1 });
  await pool.script(
    "drop table if exists attendance.floor; create table attendance.floor (like attendance.punch); alter table attendance.floor alter import_id set default 0",
  );
  const started = performance.now();
  const copy = await openCopyIn(
    pool,
    "attendance.floor (row, name, user_id, work_number, day, scheduled, time, result, address, group_name)",
  );
  for (const chunk of chunks) await copy.write(chunk);
  await copy.finish();
  const elapsed = performance.now() - started;
  await pool.script("drop table attendance.floor");
  await pool.end();
  return elapsed;
}

process.send?.(await (kind === "library" ? countCells() : copyRows()));
process.disconnect?.();
