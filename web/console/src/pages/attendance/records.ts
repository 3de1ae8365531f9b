import type { attendance } from "#shared/api/attendance.ts";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/attendance/texts.ts";

// What the operations answer, as the pages pass it on.

export type Month = RecordOf<typeof attendance.listMonths>;
export type Unmatched = DataOf<typeof attendance.listUnmatched>;
export type Address = Unmatched["addresses"][number];
export type Explanation = DataOf<typeof attendance.explain>;
export type Version = RecordOf<typeof attendance.listVersions>;
export type Settings = DataOf<typeof attendance.readSettings>;

export interface MonthProps {
  readonly month: Month;
  readonly onImport: () => void;
}

export function useSheetNames(): (sheet: string) => string {
  const { sheets, evidenceSheets } = useTexts(texts);
  const { sheets: exported, evidenceSheets: alsoExported } = texts.zh;
  const names = new Map<string, string>([
    [exported.work, sheets.work],
    ...(["month", "daily", "original"] as const).map((sheet) => [alsoExported[sheet], evidenceSheets[sheet]] as const),
  ]);
  return (sheet) => names.get(sheet) ?? sheet;
}
