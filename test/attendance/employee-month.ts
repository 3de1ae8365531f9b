import { isClocked } from "#services/attendance/analysis/rules-missing.ts";
import { daysOf, readDay } from "#services/attendance/days.ts";
import { composeBasis, composeEmployee } from "#services/attendance/figures.ts";
import {
  type CopiedField,
  type Correction,
  copiedFields,
  type DailyRow,
  type DailySlot,
  type Day,
  heldFields,
  type Minute,
  type PunchRow,
  type SourceRow,
  type Span,
} from "#services/attendance/model.ts";
import type { EmployeeMonth } from "#services/attendance/employee-month.ts";

const testMonth = "2026-05";
const period = { month: testMonth, periodStart: 1 };
export const campus1 = "黄家湖校区_14757";
export const campus2 = "MXH墨轩湖(AA:BB:CC:00:11:22)";
export const elsewhere = "火车站 站前路1号";

/** Parses `08:30`, or `次日 07:00` for a time of the next day; "" gives null. */
function toMinute(day: number, clock: string): Minute | null {
  if (clock === "") return null;
  const [hours = 0, minutes = 0] = clock.replace("次日 ", "").split(":").map(Number);
  return toDay(day + Number(clock.startsWith("次日 "))) * 1440 + hours * 60 + minutes;
}

const toDay = (day: number): Day => readDay(`${testMonth}-01`) + day - 1;

/** A row of 原始记录: day, 考勤时间, 打卡时间, 打卡结果, 打卡地址. */
export type PunchLine = readonly [day: number, scheduled: string, time: string, result: string, address: string];
/**
 * A row of 每日统计: the day, then 旷工 if 旷工天数 is 1, the row's counts such as `{ counted: "1 0 1" }`, and each slot that
 * is not empty, such as `["上班1", "缺卡"]`.
 */
export type DailyLine = readonly [day: number, ...(Clock | "旷工" | Pick<DailyRow, "counted">)[]];
type Clock = readonly [clock: string, result: string];

export interface Facts {
  readonly name?: string;
  readonly group?: string;
  readonly department?: string;
  readonly cells?: Readonly<Record<number, string>>;
  readonly daily?: readonly DailyLine[];
  readonly punches?: readonly PunchLine[];
  readonly copied?: Readonly<Partial<Record<CopiedField, string>>>;
  readonly corrections?: readonly Correction[];
}

/** Import 1 contains the month sheet and 每日统计, import 2 原始记录. */
const spans: readonly Span[] = (["month", "daily", "original"] as const).map((sheet) => ({
  sheet,
  importId: sheet === "original" ? 2 : 1,
  ...daysOf(period),
}));
const kinds = Object.fromEntries(heldFields.map((field) => [field, { unit: "", writing: "number" } as const]));
export const basis = composeBasis(period, spans, [{ importId: 1, ...daysOf(period), kinds }]);

export function makeEmployeeMonth(facts: Facts): EmployeeMonth {
  const person = { name: facts.name ?? "安宁", userId: "012345678901-1234567890", workNumber: "0042" };
  const none = Object.fromEntries(copiedFields.map((field) => [field, ""])) as Record<CopiedField, string>;
  const source: SourceRow = {
    importId: 1,
    row: 5,
    copied: { ...none, ...facts.copied },
    days: Array.from({ length: 31 }, (_, index) => facts.cells?.[index + 1] ?? ""),
  };
  const who = { ...person, employee: 1, group: facts.group ?? "", department: facts.department ?? "" };
  const daily = (facts.daily ?? []).map(([day, ...clocks], index): DailyRow => {
    const slots = clocks.flatMap((clock) => (clock === "旷工" || "counted" in clock ? [] : toSlot(clock)));
    return {
      row: 5 + index,
      day: toDay(day),
      shift: "普通出勤 08:30-18:00",
      slots,
      counted: clocks.map((clock) => (typeof clock === "object" && "counted" in clock ? clock.counted : "")).join(""),
      isAbsent: clocks.includes("旷工"),
      hasClock: isClocked(slots),
      isShort: slots.some(({ result }) => result.includes("缺卡")),
    };
  });
  const punches = (facts.punches ?? []).map(([day, scheduled, time, result, address], index): PunchRow => ({
    row: 4 + index,
    day: toDay(day),
    scheduled: toMinute(day, scheduled),
    time: toMinute(day, time),
    mark: { result, address },
  }));
  return {
    basis,
    summary: composeEmployee(who, [source], basis),
    daily,
    punches,
    idCard: "",
    corrections: facts.corrections ?? [],
  };
}

const toSlot = ([clock, result]: Clock): DailySlot => ({
  kind: clock.startsWith("上") ? "上班" : "下班",
  number: Number(clock.slice(2)),
  time: result === "正常" ? `${testMonth}-04 ${clock.startsWith("上") ? "08:25" : "18:05"}` : null,
  result,
});
