import type { RecordBook } from "#services/disease-command/workbook.ts";
import type { ImportColumns } from "#platform/workbooks/import-columns.ts";
import { feverClinicFields } from "./contract.ts";

const columns = {
  hospitalName: { heading: "医院名称", schema: feverClinicFields.hospitalName },
  feverClinicCount: { heading: "发热门诊人数", schema: feverClinicFields.feverClinicCount, type: "number" },
  epidemicCount: { heading: "流行病学史人数", schema: feverClinicFields.epidemicCount, type: "number" },
} as const satisfies ImportColumns;

const example = { hospitalName: "示例市第一医院", feverClinicCount: 12, epidemicCount: 1 };

export const feverClinicBook: RecordBook<typeof columns> = { name: "发热门诊", columns, example };
