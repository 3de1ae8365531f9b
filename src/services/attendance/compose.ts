import { daysOfMonth, findOwner, listComputedDays } from "./coverage.ts";
import { addFigures, type FigurePlan, planFigures, type SheetFigures } from "./figures.ts";
import { type MonthBasis, type SourceRow, type Span, type Summary } from "./model.ts";
import { type CopiedField, copiedFields } from "./copied-columns.ts";

// A month and its employees, put together out of the imports that give its days.

/** The basis of a month, and what only putting it together needs. */
export interface Composition extends MonthBasis {
  readonly plan: FigurePlan;
  /** The import that gives the day cells of each day, index 0 for the first. */
  readonly cellImports: readonly (number | undefined)[];
}

/** @param sheets the figures of the imports that give days of the month sheet, newest first */
export function composeBasis(month: string, spans: readonly Span[], sheets: readonly SheetFigures[]): Composition {
  const range = daysOfMonth(month);
  const plan = planFigures(range, sheets);
  const cellImports = Array.from({ length: range.lastDay - range.firstDay + 1 }, (_, index) =>
    findOwner(spans, "month", range.firstDay + index),
  );
  return { month, spans, computed: listComputedDays(spans), figureImports: plan.sources, plan, cellImports };
}

/** An employee's day cells, each from the import that gives the day, and figures, added up where that is right. */
export function composeEmployee(
  who: Omit<Summary, "copied" | "days" | "sources">,
  sources: readonly SourceRow[],
  { plan, cellImports }: Composition,
): Summary {
  const days = cellImports.map((importId, index) => findCell(sources, importId, index)?.days[index] ?? "");
  const figures = copiedFields.map((field) => [field, composeFigure(field, sources, plan)] as const);
  return { ...who, sources, days, copied: Object.fromEntries(figures) as Record<CopiedField, string> };
}

/** The row that a day's cell stands in: the first that says anything of those that the import has of the employee. */
export const findCell = (
  sources: readonly SourceRow[],
  importId: number | undefined,
  index: number,
): SourceRow | undefined => sources.find((source) => source.importId === importId && source.days[index]);

function composeFigure(field: CopiedField, sources: readonly SourceRow[], plan: FigurePlan): string {
  const imports = plan.sources[field];
  const texts = sources.flatMap(({ importId, copied }) => (imports.includes(importId) ? copied[field] : []));
  return addFigures(texts, plan.writings[field]);
}
