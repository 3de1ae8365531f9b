import { writeDay } from "#services/attendance/days.ts";
import { type DailyRow, type HeldField, heldFields } from "#services/attendance/model.ts";
import type { EmployeeMonth } from "#services/attendance/employee-month.ts";
import type { Findings } from "./findings.ts";
import type { AttendedDay } from "./attended-day.ts";
import { type MissingSlot, readDayCell } from "./rules-missing.ts";

export interface Difference {
  readonly figure: HeldField;
  readonly ours: number;
  readonly theirs: number;
  readonly days: readonly string[];
}

/**
 * A day's counts for `heldFields`, in their order, as computed here or as in the export. An unknown count is undefined.
 */
type Counts = readonly (number | undefined)[];

/**
 * Compares the computed counts, without corrections, with those of the export. The month's sum is compared with 月度汇总.
 * If that sheet has no usable sum, or its sum covers days that are not computed, the sum of 每日统计 is compared instead.
 * The count of each day is compared with 每日统计.
 */
export function holdAgainstExport(
  { basis, summary, daily }: EmployeeMonth,
  { found: days }: Pick<Findings, "found">,
): Difference[] {
  const first = basis.days.firstDay;
  const [ours, theirs]: [Counts[], Counts[]] = [[], []];
  for (const day of days) ours[day.index] = countOurs(day);
  for (const row of daily)
    if (row.counted !== "" && basis.computed.has(row.day)) addTheirs(theirs, row.day - first, row);
  const unlike = theirs.flatMap((counts, index) => (isAlike(ours[index] ?? nothing, counts) ? [] : index));
  return heldFields.flatMap((figure, at) => {
    const countOf = (index: number): number => ours[index]?.[at] ?? 0;
    const differing = unlike.filter((index) => !isSame(countOf(index), theirs[index]?.[at]));
    const [held, summed] = [basis.held[figure], Number(summary.copied[figure])];
    let [own, counted] = [0, summed];
    if (held && !Number.isNaN(summed)) {
      for (const { index } of days) if (held.has(first + index)) own += countOf(index);
      if (own !== counted) for (const day of held) if (differsByCell(day - first)) differing.push(day - first);
    } else {
      counted = 0;
      for (const [index, counts] of theirs.entries()) {
        if (counts?.[at] === undefined) continue;
        own += countOf(index);
        counted += counts[at];
      }
      // Rounding removes the error of floating-point sums (0.1 + 0.2 ≠ 0.3).
      counted = Math.round(counted * 100) / 100;
    }
    if (own === counted && differing.length === 0) return [];
    const dates = differing.map((index) => writeDay(first + index)).sort();
    return { figure, ours: own, theirs: counted, days: dates };

    // If 每日统计 has no count for a day, the day's cell in 月度汇总 is compared instead.
    function differsByCell(index: number): boolean {
      const isTold = theirs[index]?.[at] !== undefined;
      return !isTold && !isSame(countOf(index), countCell(summary.days[index] ?? "")[at]);
    }
  });
}

const nothing: Counts = [0, 0, 0];
const isSame = (our: number | undefined, their: number | undefined): boolean => their === undefined || our === their;
const isAlike = (ours: Counts, theirs: Counts): boolean =>
  ours === theirs || ours.every((our, at) => isSame(our, theirs[at]));

const attended: Counts = [1, 0, 0];

const countOurs = ({ counts, missing }: AttendedDay): Counts =>
  counts && missing.length === 0 ? attended : [Number(counts), ...countMissing(missing)];

const countMissing = (missing: readonly MissingSlot[]): [ins: number, outs: number] => {
  const count = (wanted: MissingSlot["kind"]) =>
    missing.filter(({ kind, word }) => kind === wanted && word === "缺卡").length;
  return [count("上班"), count("下班")];
};

/** An employee in two attendance groups has two rows a day, whose counts are added up. */
function addTheirs(theirs: Counts[], index: number, { counted }: DailyRow): void {
  const [counts, before] = [readCounts(counted), theirs[index]];
  const sum = before?.map((count, at) => (count === undefined ? counts[at] : count + (counts[at] ?? 0)));
  theirs[index] = sum ?? counts;
}

const known = new Map<string, Counts>();
const remembered = 1000;

function readCounts(counted: string): Counts {
  const before = known.get(counted);
  if (before) return before;
  if (known.size >= remembered) known.clear();
  const counts = counted.split(" ").map((count) => (count === "-" ? undefined : Number(count)));
  known.set(counted, counts);
  return counts;
}

const punched = /^(?:正常|外勤|(?:上班|下班)?\d*(?:严重|旷工)?(?:迟到|早退)|.*并打卡$|补卡审批通过|管理员)/;
const unpunched = /^(?:旷工$|休息$|节假日$|未打卡$|未排班$|不在考勤组$|未加入考勤组$)/;

/**
 * Counts what the day's cell says. Attendance is 1 if a punch is shown, 0 if only events without a punch are shown, and
 * otherwise undefined.
 */
function countCell(cell: string): Counts {
  const { events, missing } = readDayCell(cell);
  const isThere = events.some((event) => punched.test(event));
  const isAway = events.length > 0 && events.every((event) => unpunched.test(event));
  return [isThere ? 1 : isAway ? 0 : undefined, ...(events.length > 0 ? countMissing(missing) : [])];
}
