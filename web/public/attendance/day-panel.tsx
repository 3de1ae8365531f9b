import { useEffect, useRef, useState } from "react";
import { dayBack } from "#public/blocks/day.ts";
import type { OwnDay } from "./day-kinds.ts";
import type { Objection, OwnMonth, OwnRow } from "./employee.ts";
import { draft } from "./employee.ts";
import { ObjectionForm } from "./objection-form.tsx";
import { ObjectionCard } from "./own-objections.tsx";
import { useTexts } from "./texts.ts";

interface DayProps {
  readonly day: OwnDay;
  readonly month: OwnMonth;
  readonly correction: OwnRow["corrections"][number] | undefined;
  readonly objections: readonly Objection[];
  readonly onSent: () => void;
}

export function DayPanel({ day, month, correction, objections, onSent }: DayProps) {
  const t = useTexts();
  const [isObjecting, setObjecting] = useState(draft.get()?.day === day.date);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.scrollIntoView({ block: "nearest" }), []);
  const hasOpen = objections.some(({ state }) => state === "open");
  const [today] = useState(() => dayBack(0));
  return (
    <section className="card stack" aria-labelledby="own-day">
      <h2 id="own-day" ref={head}>
        {t.dayIs(day.date, t.kinds[day.kind])}
      </h2>
      {day.cell !== "" && <p>{day.cell}</p>}
      {day.said.length > 0 && (
        <ul>
          {day.said.map(({ field, text }) => (
            <li key={field + text}>{text}</li>
          ))}
        </ul>
      )}
      {correction && (
        <p className="note">
          {t.corrected} {t.corrections[correction.kind]} · {correction.evidence}
        </p>
      )}
      {day.evidence.length > 0 ? (
        <details>
          <summary>{t.evidence}</summary>
          <ul>
            {day.evidence.map(({ sheet, row, text }) => (
              <li key={`${sheet} ${row} ${text}`} className="soft">
                {t.sheets[sheet]} · {text}
              </li>
            ))}
          </ul>
        </details>
      ) : (
        day.cell === "" && <p className="soft">{t.nothingOfDay}</p>
      )}
      {objections.map((each) => (
        <ObjectionCard key={each.id} objection={each} />
      ))}
      {isObjecting && !hasOpen ? (
        <ObjectionForm
          day={day}
          month={month}
          onCancel={() => setObjecting(false)}
          onSent={() => {
            setObjecting(false);
            onSent();
          }}
        />
      ) : (
        !hasOpen &&
        !month.locked &&
        day.date <= today && (
          <button type="button" className="button" onClick={() => setObjecting(true)}>
            {t.wrong}
          </button>
        )
      )}
    </section>
  );
}
