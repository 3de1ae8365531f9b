import { texts } from "#console/pages/attendance/texts.ts";
import type { DayKind } from "#console/pages/attendance/grid/day-results.ts";
import { useTexts } from "#console/language/language.ts";

/** The sign of a result: a character on its colour, the same in the grid, its legend and a person's calendar. */
export function DayMark({ kind }: { readonly kind: DayKind }) {
  const t = useTexts(texts);
  return (
    <span className={`q-attendance-mark q-attendance-${kind}`} aria-hidden>
      {t.glyphs[kind]}
    </span>
  );
}
