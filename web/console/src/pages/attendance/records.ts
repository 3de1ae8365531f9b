import type { attendance } from "#shared/api/attendance.ts";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";

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
