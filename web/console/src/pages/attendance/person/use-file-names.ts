import { useMonthImports } from "#console/pages/attendance/import/import-table.tsx";
import type { Explanation } from "#console/pages/attendance/records.ts";

const none: ReadonlyMap<number, string> = new Map();

/** The file of each import of the evidence, for sheets that came in several; none of a month of whole files. */
export function useFileNames({ month, figures }: Explanation): ReadonlyMap<number, string> {
  const { data } = useMonthImports(month);
  const evidence = figures.flatMap(({ entries }) => entries.flatMap((entry) => entry.evidence));
  const imports = Map.groupBy(evidence, ({ sheet }) => sheet)
    .values()
    .map((rows) => new Set(rows.map((row) => row.import)))
    .filter(({ size }) => size > 1)
    .flatMap((ids) => [...ids]);
  const wanted = new Set(imports);
  if (wanted.size === 0 || !data) return none;
  return new Map(data.filter(({ id }) => wanted.has(id)).map(({ id, fileName }) => [id, fileName]));
}
