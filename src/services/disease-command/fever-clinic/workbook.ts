import type { ImportColumns } from "#platform/workbooks/import.ts";
import { feverClinicFields } from "./contract.ts";

export const feverClinicColumns = {
  hospitalName: { heading: "医院名称", schema: feverClinicFields.hospitalName },
  feverClinicCount: { heading: "发热门诊人数", schema: feverClinicFields.feverClinicCount, type: "number" },
  epidemicCount: { heading: "流行病学史人数", schema: feverClinicFields.epidemicCount, type: "number" },
} as const satisfies ImportColumns;

export const feverClinicExample = { hospitalName: "示例市第一医院", feverClinicCount: 12, epidemicCount: 1 };
