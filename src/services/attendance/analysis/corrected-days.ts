import { writeDay } from "#services/attendance/days.ts";
import type { Correction } from "#services/attendance/model.ts";
import type { EmployeeMonth } from "#services/attendance/employee-month.ts";
import type { AttendedDay, LatePunch } from "./attended-day.ts";
import { type FindCampus, type PlacedDay, placeWithoutAddress } from "./rules-punches.ts";

interface Counted {
  readonly days: readonly AttendedDay[];
  readonly late: readonly LatePunch[];
}

/**
 * Returns the days and late punches as corrected; the punches themselves stay unchanged. A day corrected to "leave" or
 * "none" is left out, with its late and early punches. A day corrected to "present" counts, without missing punches. A
 * day corrected to "onTime" has no late or early punches. Corrections of days outside the month are ignored.
 */
export function applyCorrections(
  { basis, summary, corrections }: EmployeeMonth,
  findCampus: FindCampus,
  found: Counted,
): Counted {
  if (corrections.length === 0) return found;
  const byDay = new Map(corrections.map((correction) => [writeDay(correction.day), correction]));
  const usual = placeWithoutAddress(found.days, [summary.department, summary.group], findCampus);
  const added = corrections.flatMap((correction) => {
    const [day, index] = [writeDay(correction.day), correction.day - basis.days.firstDay];
    const isOutside = index < 0 || correction.day > basis.days.lastDay;
    const isFound = found.days.some((each) => each.day === day);
    return correction.kind !== "present" || isOutside || isFound
      ? []
      : { ...usual, day, index, counts: false, daily: [], punches: [], missing: [], abnormal: [] };
  });
  const days = [...found.days, ...added].flatMap((day) => correctDay(day, byDay.get(day.day)));
  const late = found.late.filter(({ day }) => (byDay.get(day)?.kind ?? "present") === "present");
  return { days: days.sort((left, right) => left.index - right.index), late };
}

function correctDay(day: AttendedDay, correction: Correction | undefined): AttendedDay[] {
  if (correction?.kind === "leave" || correction?.kind === "none") return [];
  if (correction === undefined) return [day];
  if (correction.kind === "onTime") return [{ ...day, correction }];
  const { campus } = correction;
  const place: Partial<PlacedDay> = campus === null ? {} : { place: campus, ground: "correction" };
  // A day that was corrected to a campus has no punches off campus.
  const abnormal = campus === null ? day.abnormal : [];
  return [{ ...day, ...place, counts: true, missing: [], abnormal, correction }];
}
