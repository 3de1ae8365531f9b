import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { makeStudents } from "#demo/students.ts";
import { writeWorkbook } from "#platform/workbooks/index.ts";
import { headings } from "#services/tuition-payment/import.ts";
import { makeMonth, writeBook } from "#test/attendance/workbooks.ts";

interface Books {
  readonly file: string;
  readonly end: () => Promise<void>;
}

async function openFolder(): Promise<{ folder: string; end: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-books-"));
  return { folder, end: () => rm(folder, { recursive: true, force: true }) };
}

export async function makePayableBook(rows: number): Promise<Books> {
  const { folder, end } = await openFolder();
  const file = path.join(folder, "payables.xlsx");
  await pipeline(
    writeWorkbook({
      sheetName: "缴费信息",
      columns: headings.map(({ texts }) => ({ header: texts[0] ?? "" })),
      rows: [makeStudents(rows).map((row) => headings.map(({ key }) => row[key]))],
    }),
    createWriteStream(file),
  );
  return { file, end };
}

export async function makeMonthBooks(month: string, people: number): Promise<Books & { readonly punches: string }> {
  const { folder, end } = await openFolder();
  const [file, punches] = [path.join(folder, "month.xlsx"), path.join(folder, "original.xlsx")];
  const { monthSheet, dailySheet, originalSheet } = makeMonth({ month, people, seed: 3, generation: 2026 });
  await writeBook(file, [monthSheet, dailySheet]);
  await writeBook(punches, [originalSheet]);
  return { file, punches, end };
}
