import { useMay } from "#console/session/session.ts";
import { useRead } from "#console/call/use-call.ts";
import { attendance } from "#shared/api/attendance.ts";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";

export type Month = RecordOf<typeof attendance.listMonths>;
export type Unmatched = DataOf<typeof attendance.listUnmatched>;
export type Difference = RecordOf<typeof attendance.listDifferences>;
export type Address = Unmatched["addresses"][number];
export type Explanation = DataOf<typeof attendance.explain>;
export type Version = RecordOf<typeof attendance.listVersions>;
export type Settings = DataOf<typeof attendance.readSettings>;

export interface MonthProps {
  readonly month: Month;
  readonly onImport: () => void;
}

export function useSheetNames(): (sheet: string) => string {
  const { sheets } = useTexts();
  const known = (["month", "daily", "original", "work"] as const).map((sheet) => [
    useTexts.zh.sheets[sheet],
    sheets[sheet],
  ]);
  const names: Readonly<Record<string, string>> = Object.fromEntries(known);
  return (sheet) => names[sheet] ?? sheet;
}

export const hasPunches = ({ covered }: Pick<Month, "covered">): boolean =>
  covered.some(({ sheet }) => sheet === "original");

// Only unmatched people of the other sheets are strangers: a person in the month sheet may be missing from another sheet
// for a good reason.
export const isStranger = ({ kind }: Unmatched["people"][number]): boolean => kind !== "month";

export const useUnmatched = ({ month }: Pick<Month, "month">) =>
  useRead(attendance.listUnmatched, { query: { month } }, { enabled: useMay()(attendance.listUnmatched) });

// If at least one punch in ten matches no keyword, the cause is the keywords and not the punches.
const fewestStrange = 10;
const none: readonly Address[] = [];

/**
 * Returns the addresses that need a keyword before the month's campuses can be determined; none if fewer than one in
 * ten punches are affected or the month is locked.
 */
export function useUnplaced(month: Month): readonly Address[] {
  const { addresses = none } = useUnmatched(month).data ?? {};
  const punches = addresses.reduce((sum, { count }) => sum + count, 0);
  return month.locked === null && punches * fewestStrange >= month.punches ? addresses : none;
}
