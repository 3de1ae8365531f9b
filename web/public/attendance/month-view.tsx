import { useState } from "react";
import { Notice } from "#public/blocks/notice.tsx";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { useSending } from "#public/blocks/use-sending.ts";
import { attendance } from "#shared/api/attendance.ts";
import { nameFigure, useFigureNames, useFigureUnits } from "#shared/attendance/figure-names.ts";
import { useReading } from "#shared/call/use-reading.ts";
import { currentLanguage } from "#shared/language/language.ts";
import { Calendar } from "./calendar.tsx";
import { listOwnDays } from "./day-kinds.ts";
import { DayPanel } from "./day-panel.tsx";
import { ask, type Objection, type OwnMonth, type OwnRow } from "./employee.ts";
import { useTexts } from "./texts.ts";

interface MonthProps {
  readonly month: OwnMonth;
  readonly objections: readonly Objection[];
  readonly onChange: () => void;
}

export function MonthView({ month, objections, onChange }: MonthProps) {
  const t = useTexts();
  if (month.statu !== 2) return <Notice title={t.notAnalysed} />;
  const own = objections.filter((each) => each.month === month.month);
  return <Analysed month={month} objections={own} onChange={onChange} />;
}

const queryOf = ({ month, groupOfCheck }: OwnMonth) => ({ month, groupOfCheck });

function Analysed({ month, objections, onChange }: MonthProps) {
  const t = useTexts();
  const [chosen, choose] = useState<string>();
  const query = queryOf(month);
  const reading = useReading(`${month.month} ${month.groupOfCheck} ${currentLanguage()}`, (signal) =>
    ask(attendance.readOwnMonth, { query }, { signal }),
  );
  if (reading.failure) return <Failed failure={reading.failure} retry={reading.retry} />;
  if (!reading.data) return <Waiting />;
  const days = listOwnDays(reading.data);
  const day = days.find(({ date }) => date === chosen);
  return (
    <>
      {month.locked && <p className="note">{t.locked}</p>}
      <Calendar days={days} objections={objections} chosen={chosen} onChoose={choose} />
      {day ? (
        <DayPanel
          key={day.date}
          day={day}
          month={month}
          correction={reading.data.corrections.find((each) => each.day === day.date)}
          objections={objections.filter((each) => each.day === day.number)}
          onSent={onChange}
        />
      ) : (
        <p className="soft">{t.pickDay}</p>
      )}
      <Confirm month={month} onChange={onChange} />
      <Figures row={reading.data} />
    </>
  );
}

function Confirm({ month, onChange }: Omit<MonthProps, "objections">) {
  const t = useTexts();
  const { isSending, failure, send } = useSending();
  if (month.confirmed) return <Notice tone="good" title={t.confirmed} />;
  if (month.openObjections > 0) return <Notice tone="warn" title={t.confirmLater(month.openObjections)} />;
  const confirm = async () => {
    await ask(attendance.confirmMonth, { body: queryOf(month) });
    onChange();
  };
  return (
    <>
      {failure && <Notice tone="bad" title={failure.message} />}
      <button
        type="button"
        className="button"
        data-kind="main"
        data-wide=""
        disabled={isSending}
        onClick={() => send(confirm)}
      >
        {t.confirm}
      </button>
    </>
  );
}

function Figures({ row }: { readonly row: OwnRow }) {
  const t = useTexts();
  const names = useFigureNames(row.bucketEdges);
  const write = useFigureUnits();
  const shown = [...row.explain, ...row.extra].filter(({ value }) => value !== "" && value !== "0");
  return (
    <section className="card" aria-labelledby="own-figures">
      <h2 id="own-figures">{t.figures}</h2>
      {shown.map(({ field, kind, value, unit, entries }) => (
        <details key={field}>
          <summary>
            <span>{nameFigure(names, field)}</span>
            <strong>{kind === "record" ? t.records(entries.length) : write(field, value, unit)}</strong>
          </summary>
          <ul>
            {entries.map(({ day, text, evidence }) => (
              <li key={`${day} ${text}`}>
                {text}
                {day === "" &&
                  evidence.map((each) => (
                    <p key={`${each.row} ${each.text}`} className="soft">
                      {each.text}
                    </p>
                  ))}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}
