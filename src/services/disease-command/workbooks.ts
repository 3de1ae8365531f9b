import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import type { FileAnswer } from "#platform/contract/endpoint.ts";
import type { Language } from "#platform/contract/language.ts";
import { explain } from "#platform/contract/problem.ts";
import type { Semaphore } from "#platform/jobs/semaphore.ts";
import type { Platform } from "#platform/process/platform.ts";
import { compileRow, type ImportColumns, toHeadings } from "./import-columns.ts";
import { importTable, type ReadRows } from "#platform/workbooks/import.ts";
import { type Cell, workbookHeaders, writeTemplate } from "#platform/workbooks/index.ts";
import { toWorkbookLimits } from "#platform/workbooks/spreadsheet-error.ts";
import { service } from "./records.ts";
import { detectionFields, feverClinicFields } from "./statistics-contract.ts";

export interface RecordBook<C extends ImportColumns> {
  readonly name: string;
  readonly columns: C;
  readonly example: { readonly [K in keyof C & string]?: Cell };
}

export const openImport =
  <C extends ImportColumns>({ settings, temporaryFiles }: Platform, turns: Semaphore, { columns }: RecordBook<C>) =>
  (
    { file, language }: { readonly file: { readonly path: string }; readonly language: Language },
    store: (rows: ReadRows) => Promise<string>,
  ): Promise<string> => {
    const plan = { path: file.path, language, headings: toHeadings(columns), limits: toWorkbookLimits(settings) };
    const begin = () => temporaryFiles.begin(service);
    return turns.run(() =>
      importTable({ ...plan, begin, readRow: compileRow(columns) }, (rows) => {
        if (rows.count === 0) throw explain("importFailed", "表格没有数据行", "the workbook has no data rows");
        return store(rows);
      }),
    );
  };

export async function sendTemplate<C extends ImportColumns>(
  { method }: Pick<FastifyRequest, "method">,
  { name, columns, example }: RecordBook<C>,
): Promise<FileAnswer> {
  const headers = workbookHeaders(name);
  if (method === "HEAD") return { headers };
  return { stream: Readable.from([await writeTemplate(toHeadings(columns), { sheetName: name, example })]), headers };
}

const detectionColumns = {
  statisticsDate: { heading: "日期", schema: detectionFields.statisticsDate },
  peopleType: { heading: "人群类别", schema: detectionFields.peopleType },
  detectionCount: { heading: "检测人数", schema: detectionFields.detectionCount, type: "number" },
  abnormalCount: { heading: "异常人数", schema: detectionFields.abnormalCount, type: "number" },
} as const satisfies ImportColumns;

export const detectionBook: RecordBook<typeof detectionColumns> = {
  name: "检测统计",
  columns: detectionColumns,
  example: { statisticsDate: "2026-11-20", peopleType: "医务人员", detectionCount: 1200, abnormalCount: 0 },
};

const feverClinicColumns = {
  hospitalName: { heading: "医院名称", schema: feverClinicFields.hospitalName },
  feverClinicCount: { heading: "发热门诊人数", schema: feverClinicFields.feverClinicCount, type: "number" },
  epidemicCount: { heading: "流行病学史人数", schema: feverClinicFields.epidemicCount, type: "number" },
} as const satisfies ImportColumns;

export const feverClinicBook: RecordBook<typeof feverClinicColumns> = {
  name: "发热门诊",
  columns: feverClinicColumns,
  example: { hospitalName: "示例市第一医院", feverClinicCount: 12, epidemicCount: 1 },
};
