import * as z from "zod";
import { summaryRow } from "#services/attendance/record-contract.ts";
import type { Cell, Made } from "./old-services.ts";

const fields = Object.entries(summaryRow.shape);
const who = (n: number): Readonly<Record<string, string>> => ({
  workName: `员工${n}`,
  department: `部门${n % 3}`,
  groupOfCheck: "坐班",
  workNum: `G${n}`,
  userId: `u${n}`,
  idCard: `42010119900101${String(n).padStart(4, "0")}`,
});

/** Returns a row as the old service's documented `downLoad` returns it. */
export const toOldSummary = (n: number, isChanged = false): Record<string, string | number> => ({
  ...Object.fromEntries(
    fields.map(([field, schema], at) => [
      field,
      schema instanceof z.ZodNumber ? (n + at) % 31 : at % 4 ? `${at}.5` : "",
    ]),
  ),
  ...who(n),
  ...(isChanged && { oneOfMonth: "改" }),
});

export function makeMonths(count: number, changed: number): Made {
  const toRow = (n: number): Cell[] => {
    const summary = toOldSummary(n, n > 1 && n <= 1 + changed);
    const month = n === count ? "2022-13" : n % 2 ? "2022-05" : "2022-06";
    return [n, month, ...fields.map(([field]) => summary[field] ?? null)];
  };
  const toColumn = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const columns = ["id bigint", "year_month", ...fields.map(([field]) => `${toColumn(field)} text`)];
  return {
    tables: [{ name: "attendance_month", columns, count, rows: toRow }],
    faults: [["monthlyRows", String(count), "refused", "month"]],
  };
}
