import { isValidPunch } from "#services/attendance/analysis/rules-marks.ts";
import type { AnalysisSettings } from "#services/attendance/model.ts";
import type { StrangeMark } from "./marks-store.ts";

/** Every keyword of every campus. */
export const listKeywords = ({ campuses }: Pick<AnalysisSettings, "campuses">): string[] =>
  campuses.flatMap(({ keywords }) => keywords.filter((keyword) => keyword !== ""));

/** The addresses of valid punches in which no keyword stands, with how many punches, most first. */
export function addUpStrange(marks: readonly StrangeMark[]): { address: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { address, result, count } of marks)
    if (isValidPunch(result)) counts.set(address, (counts.get(address) ?? 0) + count);
  return [...counts].map(([address, count]) => ({ address, count })).sort((left, right) => right.count - left.count);
}
