import { type ReactNode, useState } from "react";
import { dayBack } from "#public/blocks/day.ts";
import { Failed } from "#public/blocks/states.tsx";
import { useSending } from "#public/blocks/use-sending.ts";
import { findUnlike } from "#shared/clinic/plausible.ts";
import { type Entry, type Figure, figures, isSignedOut, type Report, sendReports } from "#public/clinic/reports.ts";
import { useTexts } from "#public/clinic/texts.ts";

interface DayFormProps {
  readonly token: string;
  readonly hospital: string;
  readonly known: readonly Report[];
  readonly typed: Typed;
  readonly onTyped: (change: (typed: Typed) => Typed) => void;
  readonly onSent: () => void;
  readonly ended: ReactNode;
}

export type Typed = Readonly<Record<string, string>>;

/** A figure that differs much from the figures of the last four weeks must be confirmed, but is never refused. */
export function DayForm({ token, hospital, known, typed, onTyped, onSent, ended }: DayFormProps): ReactNode {
  const t = useTexts();
  const [said, setSaid] = useState<"wrong" | "unchanged" | "sent" | readonly string[]>();
  const { isSending, failure, send } = useSending();
  const days = [dayBack(1), dayBack(0)] as const;
  const headOf = (day: string) => (day === days[1] ? t.today : t.yesterday)(day.slice(5));
  const find = (day: string) => known.find(({ statisticsDate }) => statisticsDate === day);
  const textOf = (day: string, figure: Figure) => typed[day + figure] ?? String(find(day)?.[figure] ?? "");
  const isTouched = (day: string) =>
    figures.some((figure) => textOf(day, figure) !== String(find(day)?.[figure] ?? ""));
  const toEntry = (day: string): Entry => ({
    statisticsDate: day,
    hospitalName: hospital,
    feverClinicCount: Number(textOf(day, "feverClinicCount")),
    epidemicCount: Number(textOf(day, "epidemicCount")),
  });
  const store = (entries: Entry[]) =>
    send(async () => {
      await sendReports(token, entries);
      // What was typed while the figures were being sent stays.
      onTyped((now) => Object.fromEntries(Object.entries(now).filter(([key, text]) => text !== typed[key])));
      setSaid("sent");
      onSent();
    });
  const ask = () => {
    const touched = days.filter(isTouched);
    if (touched.length === 0) return setSaid("unchanged");
    if (touched.some((day) => figures.some((figure) => !/^\d{1,9}$/.test(textOf(day, figure)))))
      return setSaid("wrong");
    const entries = touched.map(toEntry);
    const doubts = entries.flatMap((entry) =>
      figures.flatMap((figure) => {
        const others = known.filter(({ statisticsDate }) => statisticsDate !== entry.statisticsDate);
        const usual = findUnlike(
          entry[figure],
          others.map((row) => row[figure]),
        );
        if (usual === undefined) return [];
        const what = t.of(t.figures[figure], headOf(entry.statisticsDate));
        return [t.unlike(what, String(entry[figure]), String(usual))];
      }),
    );
    if (doubts.length > 0) return setSaid(doubts);
    store(entries);
  };
  const isAsking = typeof said === "object";
  return (
    <form
      className="card stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <table className="clinic-days">
        <thead>
          <tr>
            <td />
            {days.map((day) => (
              <th key={day} scope="col">
                {headOf(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {figures.map((figure) => (
            <tr key={figure}>
              <th scope="row">{t.figures[figure]}</th>
              {days.map((day) => (
                <td key={day}>
                  <input
                    aria-label={t.of(t.figures[figure], headOf(day))}
                    inputMode="numeric"
                    autoComplete="off"
                    value={textOf(day, figure)}
                    onInput={({ currentTarget }) => {
                      setSaid(undefined);
                      const text = currentTarget.value.trim();
                      onTyped((now) => ({ ...now, [day + figure]: text }));
                    }}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {isAsking && (
        <div className="note" data-tone="warn" role="alert">
          {said.map((doubt) => (
            <p key={doubt}>{doubt}</p>
          ))}
          <div className="row">
            <button
              type="button"
              className="button"
              disabled={isSending}
              onClick={() => store(days.filter(isTouched).map(toEntry))}
            >
              {t.isSo}
            </button>
            <button type="button" className="button" data-kind="quiet" onClick={() => setSaid(undefined)}>
              {t.back}
            </button>
          </div>
        </div>
      )}
      {typeof said === "string" && (
        <p className="note" data-tone={said === "sent" ? "good" : "warn"} role="status">
          {t[said]}
        </p>
      )}
      {failure && (isSignedOut(failure) ? ended : <Failed failure={failure} />)}
      {!isAsking && (
        <button type="submit" className="button" data-kind="main" data-wide="" disabled={isSending}>
          {t.send}
        </button>
      )}
    </form>
  );
}
