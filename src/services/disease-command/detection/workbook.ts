import type { RecordBook } from "#services/disease-command/workbook.ts";
import type { ImportColumns } from "#platform/workbooks/import-columns.ts";
import { detectionFields } from "./contract.ts";

const columns = {
  statisticsDate: { heading: "日期", schema: detectionFields.statisticsDate },
  peopleType: { heading: "人群类别", schema: detectionFields.peopleType },
  detectionCount: { heading: "检测人数", schema: detectionFields.detectionCount, type: "number" },
  abnormalCount: { heading: "异常人数", schema: detectionFields.abnormalCount, type: "number" },
} as const satisfies ImportColumns;

const example = { statisticsDate: "2026-11-20", peopleType: "医务人员", detectionCount: 1200, abnormalCount: 0 };

export const detectionBook: RecordBook<typeof columns> = { name: "检测统计", columns, example };
