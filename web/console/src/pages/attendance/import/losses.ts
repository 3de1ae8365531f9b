import type { ImportSheet } from "#services/attendance/contract.ts";
import type { attendance } from "#console/api/attendance.ts";
import { formatCount } from "#console/blocks/format.ts";
import type { RecordOf } from "#console/call/operation.ts";
import { useTexts } from "#console/language/language.ts";
import type { Order } from "#console/pages/attendance/import/tasks.ts";
import { texts } from "#console/pages/attendance/texts.ts";

type Month = RecordOf<typeof attendance.listMonths>;

/** What the orders would replace, in words. */
export function useLosses(orders: readonly Order[], months: readonly Month[]): string[] {
  const t = useTexts(texts);
  const touched = orders.flatMap(({ sheet, month }) => {
    const present = months.find((each) => each.month === month);
    return present ? [{ sheet, present }] : [];
  });
  const sheets = touched.flatMap(({ sheet, present }) => {
    const holds = describeHolding(t, present, sheet);
    return holds === undefined ? [] : t.replacesSheet(present.month, t.sheets[sheet], holds);
  });
  const results = touched.flatMap(({ present }) => (present.statu === 2 ? t.clearsResults(present.month) : []));
  return [...new Set([...sheets, ...results])];
}

type Words = ReturnType<typeof useTexts<(typeof texts)["zh"]>>;

function describeHolding(t: Words, { employees, punches, importTime }: Month, sheet: ImportSheet): string | undefined {
  if (sheet === "month" && employees > 0)
    return t.listed([t.people(formatCount(employees)), importTime?.slice(0, 16) ?? ""].filter((part) => part !== ""));
  if (sheet === "original" && punches > 0) return t.rowsCount(formatCount(punches));
  // A list of identities may be another month's, which is not replaced.
  return undefined;
}
