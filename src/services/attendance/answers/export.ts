import type { Readable } from "node:stream";
import { type Cell, type SmallSheet, writeWorkbook } from "#platform/workbooks/index.ts";
import { dayFields } from "#services/attendance/contract.ts";
import type { Units } from "#services/attendance/workbook/index.ts";
import type { AnalysisSettings } from "#services/attendance/model.ts";
import { type ExportColumn, exportColumns, toColumn } from "./export-columns.ts";

export interface ExportPlan {
  /** yyyy-MM */
  readonly month: string;
  /** The heading of each day of the month: its weekday. */
  readonly weekdays: readonly string[];
  readonly bucketEdges: AnalysisSettings["bucketEdges"];
  /** Of the copied columns. */
  readonly units: Units;
  /** What the figures rest on. */
  readonly notes: SmallSheet;
  /** Summary rows as JSON texts. */
  readonly rows: AsyncIterable<readonly string[]>;
}

/** The month as a workbook, in constant memory; ids are text, counts numbers, and a day column's heading is `1 六`. */
export function exportMonth({ month, weekdays, bucketEdges, units, notes, rows }: ExportPlan): Readable {
  const days = weekdays.map((weekday, index): ExportColumn => ({
    field: dayFields[index] ?? "",
    heading: `${index + 1} ${weekday}`,
    width: 16,
    type: "text",
  }));
  const all = [...exportColumns, ...days];
  const columns = all.map((column) => toColumn(column, bucketEdges, units));
  return writeWorkbook({ sheetName: `考勤汇总 ${month}`, columns, rows: toCells(rows, all), last: notes });
}

async function* toCells(
  batches: AsyncIterable<readonly string[]>,
  all: readonly ExportColumn[],
): AsyncGenerator<Cell[][]> {
  for await (const batch of batches) {
    yield batch.map((data) => {
      const row = JSON.parse(data) as Record<string, Cell>;
      return all.map(({ field }) => row[field]);
    });
  }
}
