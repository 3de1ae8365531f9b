import { type Db, sql, streamRows } from "#platform/database/index.ts";
import { readDayCell } from "#services/attendance/analysis/rules-day-cell.ts";
import { daysOfMonth, findOwner, listImportsOf } from "#services/attendance/coverage.ts";
import type { MonthRow, Span } from "#services/attendance/model.ts";
import { countDays } from "#services/attendance/local-times.ts";

/** A day result of 月度汇总 that no rule knows. */
export interface UnknownResult {
  readonly result: string;
  readonly count: number;
  /** The first places, `name yyyy-MM-dd`. */
  readonly examples: readonly string[];
}

export interface UnknownDays {
  /** Looks through the day cells of an employee, those of the days that count. @param counts by the day from 0 */
  seeMonthRow(row: Pick<MonthRow, "name" | "days">, counts?: (index: number) => boolean): void;
  /** Most counted first; of a hostile sheet that holds nothing else, the first thousand kinds. */
  list(): UnknownResult[];
}

const keptKinds = 1_000;
const keptExamples = 3;

/** Collects the day results of a month, given as yyyy-MM, that no rule knows. */
export function collectUnknownDays(month: string): UnknownDays {
  const found = new Map<string, { count: number; examples: string[] }>();
  const note = (result: string, place: string): void => {
    const known = found.get(result);
    if (known) {
      known.count++;
      if (known.examples.length < keptExamples) known.examples.push(place);
    } else if (found.size < keptKinds) found.set(result, { count: 1, examples: [place] });
  };
  return {
    seeMonthRow({ name, days }, counts = () => true) {
      for (const [index, cell] of days.entries()) {
        if (cell === "" || !counts(index)) continue;
        const day = `${month}-${String(index + 1).padStart(2, "0")}`;
        for (const result of readDayCell(cell).unknown) note(result, `${name} ${day}`);
      }
    },
    list: () =>
      [...found]
        .map(([result, { count, examples }]) => ({ result, count, examples }))
        .sort((left, right) => right.count - left.count),
  };
}

const rowsAtOnce = 200;

/** The same of the month sheets that are stored, each of the days that it gives. Errors: none. */
export async function listUnknownDays(db: Db, month: string, spans: readonly Span[]): Promise<UnknownResult[]> {
  const found = collectUnknownDays(month);
  const { firstDay } = daysOfMonth(month);
  const owners = Array.from({ length: countDays(month) }, (_, index) => findOwner(spans, "month", firstDay + index));
  const rows = sql`
    select import_id as "importId", name, days from attendance.employee
    where import_id = any(${listImportsOf(spans, "month")}::bigint[]) order by import_id, row`;
  for await (const batch of streamRows<Pick<MonthRow, "name" | "days"> & { importId: number }>(db, rows, rowsAtOnce)) {
    for (const row of batch) found.seeMonthRow(row, (index) => owners[index] === row.importId);
  }
  return found.list();
}
