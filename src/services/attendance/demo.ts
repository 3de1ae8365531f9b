import { buffer } from "node:stream/consumers";
import type { DemoTools } from "#platform/service.ts";
import { type Cell, writeWorkbook } from "#platform/spreadsheet/index.ts";
import { type Generation, makeDemoMonth } from "./demo-month.ts";

const people = 300;
const months: readonly (readonly [string, Generation])[] = [
  ["2021-03", 2020],
  ["2026-09", 2026],
  ["2026-10", 2026],
];

/** Three fictitious months in both forms of the export, through the imports themselves. */
export async function loadDemo({ call, upload, say }: DemoTools): Promise<void> {
  for (const [month, generation] of months) {
    const { monthSheet, originalSheet, workSheet } = makeDemoMonth({ month, people, generation });
    await upload(
      "/attendance/month/importExcel",
      `示例大学_月度汇总_${month}.xlsx`,
      await toWorkbook("月度汇总", monthSheet),
    );
    await upload(
      "/attendance/original/importOriginal",
      `示例大学_原始记录_${month}.xlsx`,
      await toWorkbook("原始记录", originalSheet),
    );
    await upload(
      "/attendance/work/importWork",
      `示例大学_员工信息_${month}.xlsx`,
      await toWorkbook("员工信息", workSheet),
      { month },
    );
    await call("GET", `/attendance/month/analyse?month=${month}`);
  }
  say(
    `attendance: ${months.length} months of ${people} people, in both forms of the export; a running server analyses them`,
  );
}

const toWorkbook = (sheetName: string, [head = [], ...rows]: readonly (readonly Cell[])[]): Promise<Buffer> => {
  const width = Math.max(head.length, ...rows.slice(0, 3).map((row) => row.length));
  const columns = Array.from({ length: width }, (_, index) => ({ header: String(head[index] ?? "") }));
  return buffer(writeWorkbook({ sheetName, columns, rows: [rows] }));
};
