import { createWriteStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Cell, type Fault, makers, type OldOptions, type OldService, type Table } from "./old-services.ts";

// Writes a database of an old system, in renren-fast's style, with its files.

const write = (cell: Cell): string =>
  cell === null ? "NULL" : typeof cell === "number" ? String(cell) : `'${cell.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
const rowsAStatement = 500;

function* writeTable({ name, columns, rows, count }: Table): Generator<string> {
  const typed = columns.map((column) => {
    const [called, type = "varchar(255)"] = column.split(" ");
    return `  \`${called}\` ${type} DEFAULT NULL,\n`;
  });
  yield `CREATE TABLE \`${name}\` (\n${typed.join("")}  KEY (\`id\`)\n) ENGINE=InnoDB;\n`;
  for (let from = 1; from <= count; from += rowsAStatement) {
    const lines = Array.from({ length: Math.min(rowsAStatement, count - from + 1) }, (_, at) => rows(from + at));
    yield `INSERT INTO \`${name}\` VALUES ${lines.map((row) => `(${row.map(write).join(",")})`).join(",\n")};\n`;
  }
}

export interface OldDatabase {
  readonly dump: string;
  readonly folder: string;
  readonly faults: readonly Fault[];
}

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export async function writeOldDatabase(folder: string, service: OldService, options: OldOptions): Promise<OldDatabase> {
  const files = path.join(folder, "upload");
  await mkdir(files, { recursive: true });
  for (const name of ["1.png", "图 2.png"])
    await writeFile(path.join(files, name), Buffer.concat([png, Buffer.from(name)]));
  await mkdir(path.join(files, "many"), { recursive: true });
  for (let n = 11; n <= 10 + (options.files ?? 0); n++)
    await writeFile(path.join(files, "many", `${n}.png`), Buffer.concat([png, Buffer.from(String(n))]));
  await writeFile(path.join(files, "page.html"), "<html><script>alert(1)</script></html>");
  const { tables, faults } = makers[service](options);
  const dump = path.join(folder, `${service}.sql`);
  const head = "-- MySQL dump 10.13  Distrib 8.0.36\n--\n/*!40103 SET TIME_ZONE='+00:00' */;\n";
  const end = "\n-- Dump completed on 2026-11-20 20:00:00\n";
  const text = (function* () {
    yield head;
    for (const table of tables) yield* writeTable(table);
    yield end;
  })();
  await pipeline(Readable.from(text), createWriteStream(dump));
  return { dump, folder: files, faults };
}

export const listOldRows = (service: OldService, options: OldOptions): ReadonlyMap<string, Record<string, Cell>[]> =>
  new Map(
    makers[service](options).tables.map(({ name, columns, count, rows }) => {
      const fields = columns.map((column) =>
        (column.split(" ")[0] ?? "").replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      );
      const toItem = (row: readonly Cell[]) => Object.fromEntries(fields.map((field, at) => [field, row[at] ?? null]));
      return [name, Array.from({ length: count }, (_, at) => toItem(rows(at + 1)))];
    }),
  );
