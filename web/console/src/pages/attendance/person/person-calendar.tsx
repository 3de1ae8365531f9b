import { useLanguage, useTexts } from "#shared/language/language.ts";
import { DayMark } from "#console/pages/attendance/grid/day-mark.tsx";
import { listKinds, readClock } from "#console/pages/attendance/grid/day-results.ts";
import { weekdays } from "#console/pages/attendance/grid/month-grid.tsx";
import {
  countDays,
  listDayTexts,
  readKinds,
  type SummaryRow,
  weekdayOf,
} from "#console/pages/attendance/grid/people.ts";
import { texts } from "#console/pages/attendance/texts.ts";

interface PersonCalendarProps {
  readonly month: string;
  readonly row: SummaryRow;
  readonly day: number | undefined;
  readonly onDay: (day: number | undefined) => void;
}

/** A person's month as a calendar, from Monday; each day is a button that shows what is behind it. */
export function PersonCalendar({ month, row, day, onDay }: PersonCalendarProps) {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const days = listDayTexts(row, countDays(month));
  const kinds = readKinds(row, days, month);
  const blanks = (weekdayOf(month, 1) + 6) % 7;
  return (
    <section aria-labelledby="q-attendance-calendar">
      <h3 id="q-attendance-calendar" className="q-attendance-part">
        {t.calendar} <small className="q-soft">{t.calendarAbout}</small>
      </h3>
      <div className="q-attendance-calendar">
        {Array.from({ length: 7 }, (_, index) => (
          <span key={index} className="q-attendance-weekday" aria-hidden>
            {weekdays[language].charAt((index + 1) % 7)}
          </span>
        ))}
        {days.map((text, index) => {
          const told = listKinds(kinds[index] ?? 0);
          const isOpen = day === index + 1;
          return (
            <button
              // A day is its place in the month.
              // oxlint-disable-next-line react/no-array-index-key
              key={index}
              type="button"
              style={index === 0 ? { gridColumnStart: blanks + 1 } : {}}
              aria-pressed={isOpen}
              title={text}
              onClick={() => onDay(isOpen ? undefined : index + 1)}
            >
              <b>{index + 1}</b>
              <span>
                {told.map((kind) => (
                  <DayMark key={kind} kind={kind} named />
                ))}
              </span>
              <small>{readClock(text)}</small>
            </button>
          );
        })}
      </div>
    </section>
  );
}
