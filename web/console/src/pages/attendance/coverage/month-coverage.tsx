import { joinWords, today } from "#console/blocks/format.ts";
import { useTexts } from "#shared/language/language.ts";
import {
  type Covered,
  type DatedSheet,
  type DayRange,
  type DayState,
  listRanges,
  listStates,
} from "#console/pages/attendance/coverage/days.ts";
import { texts } from "#console/pages/attendance/coverage/texts.ts";
import "#console/pages/attendance/coverage/coverage.css";

interface CoverageProps {
  /** yyyy-MM */
  readonly month: string;
  readonly covered: readonly Covered[];
}

/** Which days of the month each sheet has: drawn, and in words beside it. */
export function MonthCoverage({ month, covered }: CoverageProps) {
  const t = useTexts(texts);
  const sheets = (["month", "daily", "original"] as const).filter(
    (sheet) => sheet !== "daily" || covered.some((each) => each.sheet === "daily"),
  );
  return (
    <dl className="q-attendance-coverage" aria-label={t.title}>
      {sheets.map((sheet) => (
        <SheetCoverage key={sheet} month={month} covered={covered} sheet={sheet} />
      ))}
    </dl>
  );
}

function SheetCoverage({ month, covered, sheet }: CoverageProps & { readonly sheet: DatedSheet }) {
  const t = useTexts(texts);
  const states = listStates(month, covered, sheet, today());
  return (
    <div>
      <dt>{t.sheets[sheet]}</dt>
      <dd>
        <Strip states={states} />
        <Words month={month} states={states} />
      </dd>
    </div>
  );
}

/** A box a day; its number on the first, on every fifth, and where the days begin or end to be there. */
const Strip = ({ states }: { readonly states: readonly DayState[] }) => (
  <span className="q-attendance-strip" aria-hidden>
    {states.map((state, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- it is the day
      <i key={index} className={`q-attendance-${state}`}>
        {index === 0 || (index + 1) % 5 === 0 ? index + 1 : ""}
      </i>
    ))}
  </span>
);

function Words({ month, states }: { readonly month: string; readonly states: readonly DayState[] }) {
  const t = useTexts(texts);
  const write = useRanges();
  const there = write(listRanges(month, states, "there"));
  const lacking = write(listRanges(month, states, "lacking"));
  const isWhole = states.every((state) => state === "there");
  return (
    <span className="q-attendance-strip-words q-figures">
      {isWhole ? t.whole : there === "" ? t.nothing : there}
      {lacking !== "" && there !== "" && <b className="q-attendance-bad">{t.lacking(lacking)}</b>}
    </span>
  );
}

/** Writes days of a month: "05-01 至 05-10、05-18". */
export function useRanges(): (ranges: readonly DayRange[]) => string {
  const t = useTexts(texts);
  return (ranges) => joinWords(ranges.map(({ from, to }) => t.run(from.slice(5), to.slice(5))));
}
