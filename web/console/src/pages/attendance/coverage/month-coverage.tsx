import { joinWords, today } from "#console/blocks/format.ts";
import { useTexts } from "#shared/language/language.ts";
import { coverageTexts as texts, texts as pageTexts } from "#console/pages/attendance/texts.ts";
import type { ImportSheet } from "#services/attendance/contract.ts";
import type { attendance } from "#shared/api/attendance.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import "#console/pages/attendance/coverage/coverage.css";

interface CoverageProps {
  readonly month: string;
  readonly covered: readonly Covered[];
}

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
  const { sheets } = useTexts(pageTexts);
  const states = listStates(month, covered, sheet, today());
  return (
    <div>
      <dt>{sheets[sheet]}</dt>
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

type Covered = RecordOf<typeof attendance.listMonths>["covered"][number];
type DatedSheet = Covered["sheet"];

/** Days as yyyy-MM-dd, both inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

type DayState = "there" | "lacking" | "later";

const dayOf = (month: string, index: number): string => `${month}-${String(index + 1).padStart(2, "0")}`;

const listDays = (month: string): string[] =>
  Array.from(
    { length: new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate() },
    (_, i) => dayOf(month, i),
  );

const isIn = (day: string, { from, to }: DayRange): boolean => from <= day && day <= to;

/**
 * The days of a month to a sheet. One that the sheet has not is lacking when it is over, or when another sheet has it.
 * @param today yyyy-MM-dd
 */
function listStates(month: string, covered: readonly Covered[], sheet: DatedSheet, today: string): DayState[] {
  const own = covered.filter((each) => each.sheet === sheet);
  // The daily statistics come with the monthly summary or not at all; nothing waits for them.
  const others = covered.filter((each) => each.sheet !== "daily");
  return listDays(month).map((day) => {
    if (own.some((each) => isIn(day, each))) return "there";
    return day < today || others.some((each) => isIn(day, each)) ? "lacking" : "later";
  });
}

/** Whether a sheet of a month has every day that is over; a list of identity cards is of no days. */
export const lacksNoDay = ({ month, covered }: CoverageProps, sheet: ImportSheet): boolean =>
  sheet === "work" || !listStates(month, covered, sheet, today()).includes("lacking");

/** The days of a state, those that follow upon one another as one range. */
function listRanges(month: string, states: readonly DayState[], wanted: DayState): DayRange[] {
  const ranges: { from: string; to: string }[] = [];
  for (const [index, state] of states.entries()) {
    if (state !== wanted) continue;
    const day = dayOf(month, index);
    const last = ranges.at(-1);
    if (last && states[index - 1] === wanted) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}

export function intersect(one: DayRange, other: DayRange): DayRange | undefined {
  const from = one.from > other.from ? one.from : other.from;
  const to = one.to < other.to ? one.to : other.to;
  return from <= to ? { from, to } : undefined;
}

export const rangeOfMonth = (month: string): DayRange => ({ from: `${month}-01`, to: listDays(month).at(-1) ?? "" });
