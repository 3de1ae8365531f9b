import { copiedColumns, type CopiedField, copiedFields, type Unit } from "#services/attendance/model.ts";
import type { SheetKind } from "./parts.ts";

export const HEADINGS = {
  name: ["姓名", "员工姓名", "名字"],
  group: ["考勤组"],
  department: ["部门", "所属部门"],
  workNumber: ["工号", "职工号", "员工工号", "员工编号", "教工号"],
  userId: ["UserId", "用户id", "员工userid"],
  day: ["日期", "考勤日期"],
  shift: ["班次"],
  scheduled: ["考勤时间"],
  time: ["打卡时间"],
  result: ["打卡结果"],
  address: ["打卡地址"],
  idCard: ["身份证号", "身份证号码", "身份证", "证件号码", "证件号", "公民身份号码"],
  ...(Object.fromEntries(copiedFields.map((field) => [field, copiedColumns[field].headings])) as Record<
    CopiedField,
    readonly string[]
  >),
};

export type ColumnKey = keyof typeof HEADINGS;

// Headings and sheet names have at most this many characters. Normalisation takes time quadratic in the number of
// combining marks: half a second for the 32,000 that fit into a cell.
const MOST_CHARS = 64;

const byText = new Map<string, ColumnKey>();
for (const [key, texts] of Object.entries(HEADINGS) as [ColumnKey, readonly string[]][]) {
  for (const text of texts) byText.set(normalize(text), key);
}

export function findColumnKey(heading: string): ColumnKey | undefined {
  const text = normalize(heading);
  return byText.get(text) ?? byText.get(text.replace(UNIT, ""));
}

export function normalize(text: string): string {
  return text.length > MOST_CHARS ? "" : text.normalize("NFKC").replace(/\s+/g, "").toLowerCase();
}

const UNIT_WORDS = {
  天: ["天", "天数", "日", "d"],
  小时: ["小时", "时", "h"],
  分钟: ["分钟", "分", "min"],
  次: ["次", "次数", "个"],
} as const satisfies Record<Unit, readonly string[]>;

const units = new Map<string, Unit>();
for (const [unit, words] of Object.entries(UNIT_WORDS) as [Unit, readonly string[]][])
  for (const word of words) units.set(word, unit);
const UNIT = new RegExp(`\\((${[...units.keys()].join("|")})\\)$`);

/** Removes the unit: `事假(小时)` becomes 事假. If nothing remains, as for `(天)`, the heading of the group applies. */
export function stripUnit(text: string): string {
  return normalize(text).replace(UNIT, "");
}

export function readUnit(text: string): Unit | undefined {
  return units.get(UNIT.exec(normalize(text))?.[1] ?? "");
}

export function readForeignUnit(field: CopiedField, heading: string, group: string): Unit | undefined {
  const unit = readUnit(heading) ?? readUnit(group);
  // Later exports count the occurrences (次) of 旷工迟到 instead of its days, under either of two headings, so both
  // units belong to the field.
  const isOwn = unit === copiedColumns[field].unit || (unit === "次" && field === "daysOfAbsenteeismAndLateness");
  return isOwn ? undefined : unit;
}

export const SHEET_NAMES: Readonly<Record<SheetKind, string>> = {
  month: "月度汇总",
  daily: "每日统计",
  original: "原始记录",
  identity: "员工信息",
  "clock-times": "打卡时间",
};
