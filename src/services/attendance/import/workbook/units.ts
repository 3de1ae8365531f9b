import { copiedFields } from "#services/attendance/model.ts";
import type { CopiedField } from "#services/attendance/model.ts";
import { readUnit } from "./headings.ts";
import type { Unit } from "./headings.ts";

/** By field, the units of headings that are not the field's own: 小时 of `事假(小时)`. */
export type Units = Readonly<Partial<Record<CopiedField, Unit>>>;

const DURATIONS: ReadonlySet<CopiedField> = new Set([
  "workHours",
  "numberOfLateTime",
  "durationOfSevereLateness",
  "leaveEarlyTimes",
]);
const COUNTS: ReadonlySet<CopiedField> = new Set([
  "numberOfLate",
  "numberOfSeriousLateness",
  "leaveEarlyNumber",
  "lackOfWorkCardTimes",
  "lackOfMissingWorkCardTimes",
]);

/** The unit that a field has when its heading says none: durations are minutes, or texts with their units. */
export function ownUnit(field: CopiedField): Unit {
  if (DURATIONS.has(field)) return "分钟";
  return COUNTS.has(field) ? "次" : "天";
}

/** A unit is told by the heading itself, else by the heading of its group. */
export function readForeignUnit(field: CopiedField, heading: string, group: string): Unit | undefined {
  const unit = readUnit(heading) ?? readUnit(group);
  // The days of 旷工迟到 are counted in times by later exports, which have one heading for the other.
  const isOwn = unit === ownUnit(field) || (unit === "次" && field === "daysOfAbsenteeismAndLateness");
  return isOwn ? undefined : unit;
}

/** The copied fields that have another unit than their own, in the order of fields. */
export const listForeign = (units: Units): (readonly [CopiedField, Unit])[] =>
  copiedFields.flatMap((field) => {
    const unit = units[field];
    return unit === undefined ? [] : [[field, unit] as const];
  });
