import type { Readable } from "node:stream";
import { type Cell, type Column, writeWorkbook } from "#platform/workbooks/index.ts";
import type { AnalysisSettings } from "#services/attendance/model.ts";
import { type ExportColumn, exportColumns, toColumn } from "./export-columns.ts";

export interface ComparisonPlan {
  /** What the two sides are called: a month, or a version. */
  readonly names: readonly [one: string, other: string];
  readonly bucketEdges: AnalysisSettings["bucketEdges"];
  /** Comparisons as JSON texts. */
  readonly rows: AsyncIterable<readonly string[]>;
}

type Row = Readonly<Record<string, string | number>>;

interface Comparison {
  readonly workName: string;
  readonly department: string;
  readonly workNum: string;
  readonly userId: string;
  readonly month: Row | null;
  readonly with: Row | null;
}

const people: readonly Column[] = [
  { header: "姓名", width: 12, type: "text" },
  { header: "部门", width: 24, type: "text" },
  { header: "工号", width: 12, type: "text" },
  { header: "UserId", width: 22, type: "text" },
];
// Without identity cards: two months are laid side by side to look at figures.
const figures = exportColumns.filter(({ type }) => type === "number");

/** Two months as a workbook, in constant memory: each figure of both, and by how much they differ where that is a number. */
export function exportComparison({ names, bucketEdges, rows }: ComparisonPlan): Readable {
  const columns = figures.flatMap((column) => {
    const { header, width = 10 } = toColumn(column, bucketEdges, {});
    return [...names, "差"].map((name): Column => ({ header: `${header} ${name}`, width: width + 4, type: "number" }));
  });
  return writeWorkbook({
    sheetName: `考勤对比 ${names.join(" ")}`,
    columns: [...people, ...columns],
    rows: toCells(rows),
  });
}

async function* toCells(batches: AsyncIterable<readonly string[]>): AsyncGenerator<Cell[][]> {
  for await (const batch of batches) {
    yield batch.map((data) => {
      const { workName, department, workNum, userId, month, with: other } = JSON.parse(data) as Comparison;
      return [workName, department, workNum, userId, ...figures.flatMap((figure) => toTriple(figure, month, other))];
    });
  }
}

function toTriple({ field }: ExportColumn, month: Row | null, other: Row | null): Cell[] {
  const [one, two] = [month?.[field], other?.[field]];
  const difference = Number(one) - Number(two);
  return [one, two, one === undefined || two === undefined || Number.isNaN(difference) ? null : round(difference)];
}

// 0.1 + 0.2 is not 0.3.
const round = (value: number): number => Math.round(value * 10_000) / 10_000;
