import { joinWords } from "#console/blocks/format.ts";
import { useTexts } from "#shared/language/language.ts";
import type { DayRange } from "#console/pages/attendance/coverage/days.ts";
import { texts } from "#console/pages/attendance/coverage/texts.ts";

/** Writes days of a month: "05-01 至 05-10、05-18". */
export function useRanges(): (ranges: readonly DayRange[]) => string {
  const t = useTexts(texts);
  return (ranges) => joinWords(ranges.map(({ from, to }) => t.run(from.slice(5), to.slice(5))));
}
