import { texts } from "#console/pages/attendance/texts.ts";
import type { DayKind } from "#console/pages/attendance/grid/day-results.ts";
import { useTexts } from "#shared/language/language.ts";

/** The sign of a result: a character on its colour, the same in the grid, its legend and a person's calendar. */
export function DayMark({ kind, named = false }: { readonly kind: DayKind; readonly named?: boolean }) {
  const t = useTexts(texts);
  // Beside its name it is for the eye alone.
  const spoken = named ? { role: "img", "aria-label": t.kinds[kind] } : { "aria-hidden": true };
  return (
    <span className={`q-attendance-mark q-attendance-${kind}`} {...spoken}>
      {t.glyphs[kind]}
    </span>
  );
}
