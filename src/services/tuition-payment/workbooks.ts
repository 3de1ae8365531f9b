import type { Readable } from "node:stream";
import type * as z from "zod";
import type { Bilingual, Language } from "#platform/contract/language.ts";
import type { Pool } from "#platform/database/index.ts";
import { type Cell, type Column, writeTemplate, writeWorkbook } from "#platform/workbooks/index.ts";
import { toYuan } from "./amounts.ts";
import { headings, nameField } from "./import-row.ts";
import { writeItems } from "./items.ts";
import type { payable } from "./payable-contract.ts";
import { type PayableFilter, type PayableRow, streamPayables } from "./payable-store.ts";
import { itemsOf } from "./wire-rows.ts";

/** The workbook that people fill in and send back, with a row that shows how. */
export const writeImportTemplate = (): Promise<Buffer> =>
  writeTemplate(headings, {
    sheetName: "缴费信息",
    example: {
      studentNo: "2022010001",
      studentName: "张三",
      grade: "2022",
      years: "2026",
      collegeName: "示例学院",
      majorName: "示例专业",
      className: "示例2201班",
      payItemDetail: "学费:4800\\住宿费:1200",
      realPayAmount: "6000",
    },
  });

interface ExportColumn extends Bilingual {
  readonly width: number;
  readonly value: (row: PayableRow, language: Language) => Cell;
}

const column = (zh: string, en: string, width: number, value: ExportColumn["value"]): ExportColumn => ({
  zh,
  en,
  width,
  value,
});

const paid = { zh: ["否", "是"], en: ["No", "Yes"] } as const;

/** The listed fields under the headings of the import, which takes such a workbook back; and whether it is paid. */
const columnOf: Readonly<Record<Exclude<keyof z.output<typeof payable>, "id">, ExportColumn>> = {
  studentNo: column(nameField("studentNo"), "Student no.", 20, (row) => row.studentNo),
  studentName: column(nameField("studentName"), "Name", 14, (row) => row.studentName),
  grade: column(nameField("grade"), "Grade", 10, (row) => row.grade),
  years: column(nameField("years"), "Charging year", 12, (row) => row.years),
  collegeName: column(nameField("collegeName"), "College", 24, (row) => row.collegeName),
  majorName: column(nameField("majorName"), "Major", 24, (row) => row.majorName),
  className: column(nameField("className"), "Class", 18, (row) => row.className),
  payItemDetail: column(nameField("payItemDetail"), "Items", 40, (row) => writeItems(itemsOf(row))),
  realPayAmount: column(nameField("realPayAmount"), "Amount", 14, (row) => toYuan(row.amountFen)),
  pay: column("是否已缴", "Paid", 10, (row, language) => paid[language][row.paidBy === null ? 0 : 1]),
};

const columns = Object.values(columnOf);

const batchRows = 500;

/** The payables that pass the filter, newest first, in constant memory. */
export function exportPayables(pool: Pool, filter: PayableFilter, language: Language): Readable {
  const headings: Column[] = columns.map(({ width, ...heading }) => ({ header: heading[language], width }));
  return writeWorkbook({
    sheetName: language === "zh" ? "缴费信息" : "Payables",
    columns: headings,
    rows: toCells(streamPayables(pool, filter, batchRows), language),
  });
}

async function* toCells(batches: AsyncIterable<PayableRow[]>, language: Language): AsyncGenerator<Cell[][]> {
  for await (const batch of batches) yield batch.map((row) => columns.map(({ value }) => value(row, language)));
}
