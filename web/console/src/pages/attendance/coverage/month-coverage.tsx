import { joinWords, today } from "#console/blocks/format.ts";
import { useCoverageTexts as useTexts, useTexts as usePageTexts } from "#console/pages/attendance/texts.ts";
import type { ImportSheet } from "#services/attendance/contract.ts";
import type { attendance } from "#shared/api/attendance.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { type DayRange, listDays, numberOf } from "#console/pages/attendance/days.ts";
import "#console/pages/attendance/coverage/coverage.css";

interface CoverageProps {
  readonly days: DayRange;
  readonly covered: readonly Covered[];
}

export function MonthCoverage({ days, covered }: CoverageProps) {
  const t = useTexts();
  const hasDaily = covered.some((each) => each.sheet === "daily");
  const sheets = (["month", "daily", "original"] as const).filter(
    (sheet) => sheet === "original" || (sheet === "month" ? findSummary(covered) === sheet : hasDaily),
  );
  return (
    <dl className="q-attendance-coverage" aria-label={t.title}>
      {sheets.map((sheet) => (
        <SheetCoverage key={sheet} days={days} covered={covered} sheet={sheet} />
      ))}
    </dl>
  );
}

function SheetCoverage({ days, covered, sheet }: CoverageProps & { readonly sheet: DatedSheet }) {
  const { sheets } = usePageTexts();
  const states = listStates({ days, covered }, sheet);
  return (
    <div>
      <dt>{sheets[sheet]}</dt>
      <dd>
        <Strip states={states} />
        <Words states={states} />
      </dd>
    </div>
  );
}

const Strip = ({ states }: { readonly states: readonly DayOf[] }) => (
  <span className="q-attendance-strip" aria-hidden>
    {states.map(({ day, state }, index) => (
      <i key={day} className={`q-attendance-${state}`}>
        {index === 0 || numberOf(day) === 1 || numberOf(day) % 5 === 0 ? numberOf(day) : ""}
      </i>
    ))}
  </span>
);

function Words({ states }: { readonly states: readonly DayOf[] }) {
  const t = useTexts();
  const write = useRanges();
  const there = write(listRanges(states, "there"));
  const lacking = write(listRanges(states, "lacking"));
  const isWhole = states.every(({ state }) => state === "there");
  return (
    <span className="q-attendance-strip-words q-figures">
      {isWhole ? t.whole : there === "" ? t.nothing : there}
      {lacking !== "" && there !== "" && <b className="q-attendance-bad">{t.lacking(lacking)}</b>}
    </span>
  );
}

export function useRanges(): (ranges: readonly DayRange[]) => string {
  const t = useTexts();
  return (ranges) => joinWords(ranges.map(({ from, to }) => t.run(from.slice(5), to.slice(5))));
}

type Covered = RecordOf<typeof attendance.listMonths>["covered"][number];
type DatedSheet = Covered["sheet"];

type DayState = "there" | "lacking" | "later";
interface DayOf {
  readonly day: string;
  readonly state: DayState;
}

const isIn = (day: string, { from, to }: DayRange): boolean => from <= day && day <= to;

/** A missing day is marked as lacking only if it is past or another sheet has it. */
function listStates({ days, covered }: CoverageProps, sheet: DatedSheet): DayOf[] {
  const own = covered.filter((each) => each.sheet === (sheet === "month" ? findSummary(covered) : sheet));
  // The daily statistics are optional, so the other sheets need not have the same days.
  const others = covered.filter((each) => each.sheet !== "daily");
  const present = today();
  const stateOf = (day: string): DayState => {
    if (own.some((each) => isIn(day, each))) return "there";
    return day < present || others.some((each) => isIn(day, each)) ? "lacking" : "later";
  };
  return listDays(days).map((day) => ({ day, state: stateOf(day) }));
}

/** The daily statistics replace a missing monthly summary. */
export const findSummary = (covered: readonly Covered[]): "month" | "daily" =>
  covered.some(({ sheet }) => sheet === "daily") && !covered.some(({ sheet }) => sheet === "month") ? "daily" : "month";

export const lacksNoDay = (month: CoverageProps, sheet: ImportSheet): boolean =>
  sheet === "work" || listStates(month, sheet).every(({ state }) => state !== "lacking");

function listRanges(states: readonly DayOf[], wanted: DayState): DayRange[] {
  const ranges: { from: string; to: string }[] = [];
  for (const [index, { day, state }] of states.entries()) {
    if (state !== wanted) continue;
    const last = ranges.at(-1);
    if (last && states[index - 1]?.state === wanted) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}
