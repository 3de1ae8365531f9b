// The baselines of the payables import, each in its own process, which reports the milliseconds to its parent.
//   library <file>             the spreadsheet library reads the file and counts cells
//   copy <file> <database url> COPY of the same rows from memory into a similar table without an index
import { readFile } from "node:fs/promises";
import { streamXlsxRows } from "hucre/xlsx";
import { openCopyIn, openPool, toCopyLine, writeNames } from "#platform/database/index.ts";
import { readTable } from "#platform/workbooks/index.ts";
import { toStoredValues } from "#services/tuition-payment/import-store.ts";
import { headings, readRow } from "#services/tuition-payment/import.ts";
import { payableColumns } from "#services/tuition-payment/payable-store.ts";

const [kind, file = "", url = ""] = process.argv.slice(2);

async function countCells(): Promise<number> {
  const started = performance.now();
  let cells = 0;
  for await (const { values } of streamXlsxRows(await readFile(file))) cells += values.length;
  if (cells < 1) throw new Error("the spreadsheet library read no cells");
  return performance.now() - started;
}

async function copyRows(): Promise<number> {
  const pool = openPool(url, { connections: 1 });
  const chunks: string[] = [];
  const columns = writeNames(payableColumns);
  for await (const batch of readTable({ path: file, headings }))
    chunks.push(batch.map((row) => toCopyLine(toStoredValues(pool.keys, readRow(row, []) ?? fail()))).join(""));
  await pool.script(
    `drop table if exists tuition_payment.floor; create table tuition_payment.floor as select ${columns} from tuition_payment.payable limit 0`,
  );
  const started = performance.now();
  const copy = await openCopyIn(pool, `tuition_payment.floor (${columns})`);
  for (const chunk of chunks) await copy.write(chunk);
  await copy.finish();
  const elapsed = performance.now() - started;
  await pool.script("drop table tuition_payment.floor");
  await pool.end();
  return elapsed;
}

function fail(): never {
  throw new Error("a row of the benchmark is invalid");
}

process.send?.(await (kind === "library" ? countCells() : copyRows()));
process.disconnect?.();
