import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type Cell, readTable, writeWorkbook } from "#platform/workbooks/index.ts";
import type { Answer, TestApp } from "#test/app.ts";

export const samplePayable = (change: Record<string, unknown> = {}) => ({
  studentNo: "2022010001",
  studentName: "张三",
  grade: "2022",
  years: "2026",
  collegeName: "示例学院",
  majorName: "示例专业",
  className: "示例2201班",
  realPayAmount: 6000,
  payItemDetail: "学费:4800\\住宿费:1200",
  ...change,
});

export const columns = [
  "学号",
  "身份证号",
  "姓名",
  "年级",
  "收费年度",
  "学院",
  "专业",
  "班级",
  "收费项目",
  "应缴金额",
] as const;
export type SheetRow = Partial<Record<(typeof columns)[number], Cell>>;

const sampleRow: SheetRow = {
  学号: "2022010001",
  姓名: "张三",
  年级: "2022",
  收费年度: "2026",
  学院: "示例学院",
  专业: "示例专业",
  班级: "示例2201班",
  收费项目: "学费:4800\\住宿费:1200",
  应缴金额: 6000,
};

export const writePayables = (rows: readonly SheetRow[], headings: readonly string[] = columns): Promise<Buffer> =>
  buffer(
    writeWorkbook({
      sheetName: "缴费信息",
      columns: headings.map((header) => ({ header })),
      rows: [rows.map((row) => headings.map((heading) => ({ ...sampleRow, ...row })[heading as keyof SheetRow]))],
    }),
  );

export async function readBook(
  { dataDir }: TestApp,
  bytes: Uint8Array,
  texts: readonly string[],
): Promise<unknown[][]> {
  const path = join(dataDir, "read.xlsx");
  await writeFile(path, bytes);
  const headings = texts.map((text) => ({ key: text, texts: [text], required: true }));
  const rows = (await Array.fromAsync(readTable({ path, headings }))).flat();
  return rows.map(({ cells }) => texts.map((text) => cells[text]));
}

export const importFile = (
  app: TestApp,
  token: string,
  bytes: Uint8Array,
  fields = {},
  headers = {},
): Promise<Answer> =>
  app.call("POST", "/tuitionpayment/payableinfo/import", { token, file: ["缴费信息.xlsx", bytes], fields, headers });
