import type { ImportColumns } from "#platform/workbooks/import.ts";
import { detectionFields } from "./contract.ts";

export const detectionColumns = {
  statisticsDate: { heading: "日期", schema: detectionFields.statisticsDate },
  peopleType: { heading: "人群类别", schema: detectionFields.peopleType },
  detectionCount: { heading: "检测人数", schema: detectionFields.detectionCount, type: "number" },
  abnormalCount: { heading: "异常人数", schema: detectionFields.abnormalCount, type: "number" },
} as const satisfies ImportColumns;

export const detectionExample = {
  statisticsDate: "2026-11-20",
  peopleType: "医务人员",
  detectionCount: 1200,
  abnormalCount: 0,
};
