import type { Objection } from "./employee.ts";
import type { DayKind, OwnDay } from "./day-kinds.ts";
import { useTexts } from "./texts.ts";

interface CalendarProps {
  readonly days: readonly OwnDay[];
  readonly objections: readonly Objection[];
  readonly chosen: string | undefined;
  readonly onChoose: (date: string) => void;
}

const kinds: readonly DayKind[] = ["attended", "late", "outside", "missing", "absent", "leave", "rest"];

/** Weeks start on Monday; no state is shown by colour alone. */
export function Calendar({ days, objections, chosen, onChoose }: CalendarProps) {
  const t = useTexts();
  const before = (new Date(days[0]?.date ?? 0).getUTCDay() + 6) % 7;
  const open = new Set(objections.filter(({ state }) => state === "open").map(({ day }) => day));
  return (
    <>
      <div className="own-calendar">
        {days.slice(0, 7).map(({ date }, n) => (
          <span key={date} className="soft" aria-hidden="true">
            {t.weekdays.charAt(n)}
          </span>
        ))}
        {days.map(({ date, number, kind }, n) => (
          <button
            key={date}
            type="button"
            data-kind={kind}
            style={n === 0 ? { gridColumnStart: before + 1 } : undefined}
            aria-pressed={date === chosen}
            aria-label={t.dayIs(date, t.kinds[kind]) + (open.has(number) ? ` ${t.objected}` : "")}
            onClick={() => onChoose(date)}
          >
            <span>{number}</span>
            <small>{t.glyphs[kind] + (open.has(number) ? "?" : "")}</small>
          </button>
        ))}
      </div>
      <p className="own-legend soft">
        {kinds
          .filter((kind) => days.some((day) => day.kind === kind))
          .map((kind) => (
            <span key={kind}>
              <i data-kind={kind}>{t.glyphs[kind]}</i> {t.kinds[kind]}
            </span>
          ))}
      </p>
    </>
  );
}
