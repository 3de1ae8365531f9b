import type { ImportSheet } from "#services/attendance/contract.ts";
import type { attendance } from "#shared/api/attendance.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { type DayRange, intersect, rangeOfMonth } from "#console/pages/attendance/coverage/days.ts";
import { useRanges } from "#console/pages/attendance/coverage/use-ranges.ts";
import type { Order } from "#console/pages/attendance/import/tasks.ts";
import { texts as lockTexts } from "#console/pages/attendance/lock/texts.ts";
import { texts } from "#console/pages/attendance/texts.ts";

type Month = RecordOf<typeof attendance.listMonths>;

/** What imports would do to what is there, in words. */
export interface Losses {
  /** Days that they take over. */
  readonly replaced: readonly string[];
  /** Months whose results go. */
  readonly cleared: readonly string[];
  /** Why they cannot be. */
  readonly forbidden: readonly string[];
}

export function useLosses(orders: readonly Order[], months: readonly Month[]): Losses {
  const t = useTexts(texts);
  const { forbidsImport } = useTexts(lockTexts);
  const write = useRanges();
  const touched = orders.flatMap(({ sheet, month, days }) => {
    const present = months.find((each) => each.month === month);
    return present ? [{ sheet, present, days }] : [];
  });
  const replaced = touched.flatMap(({ sheet, present, days }) => {
    const taken = listTaken(present, sheet, days);
    if (taken.length === 0) return [];
    const words = write(taken);
    const label = t.sheets[sheet];
    return days ? t.replacesDays(present.month, label, words) : t.replacesSome(present.month, label, words);
  });
  const isForbidden = ({ sheet, present }: (typeof touched)[number]) => present.locked !== null && sheet !== "work";
  const cleared = touched.filter(({ present }) => present.statu === 2 && present.locked === null);
  return {
    replaced: [...new Set(replaced)],
    cleared: [...new Set(cleared.map(({ present }) => t.clearsResults(present.month)))],
    forbidden: [...new Set(touched.filter(isForbidden).map(({ present }) => forbidsImport(present.month)))],
  };
}

/** The days of a month that a file would take over; any that the month has, where the file does not say its own. */
function listTaken({ month, covered }: Month, sheet: ImportSheet, days: DayRange | undefined): DayRange[] {
  // A list of identities may be another month's, which is not replaced; the daily statistics come with the summary.
  const own = covered.filter((each) => each.sheet === sheet);
  const range = days && intersect(days, rangeOfMonth(month));
  return days && !range ? [] : own.flatMap((each) => (range ? (intersect(each, range) ?? []) : each));
}
