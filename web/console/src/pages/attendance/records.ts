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

/** The server uses the export's sheet names. */
export function useSheetNames(): (sheet: string) => string {
  const { sheets } = useTexts();
  const known = (["month", "daily", "original", "work"] as const).map((sheet) => [
    useTexts.zh.sheets[sheet],
    sheets[sheet],
  ]);
  const names: Readonly<Record<string, string>> = Object.fromEntries(known);
  return (sheet) => names[sheet] ?? sheet;
}

/** Whether there are raw punches, from which all figures except copied ones are computed. */
export const hasPunches = ({ covered }: Pick<Month, "covered">): boolean =>
  covered.some(({ sheet }) => sheet === "original");

export const useUnmatched = ({ month }: Pick<Month, "month">) =>
  useRead(attendance.listUnmatched, { query: { month } }, { enabled: useMay()(attendance.listUnmatched) });

// Beyond this share of unmatched punches, the keywords are at fault instead of the punches.
const fewestStrange = 10;
const none: readonly Address[] = [];

/** The addresses to assign before the month's campuses can be determined; empty below the threshold. */
export function useUnplaced(month: Month): readonly Address[] {
  const { addresses = none } = useUnmatched(month).data ?? {};
  const punches = addresses.reduce((sum, { count }) => sum + count, 0);
  return month.locked === null && punches * fewestStrange >= month.punches ? addresses : none;
}
