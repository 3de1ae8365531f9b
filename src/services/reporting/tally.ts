import { type Db, inLongTransaction, type Pool } from "#platform/database/index.ts";

// Exact totals from few rows (`platform.keep_tallies` of migrations/0001_platform.sql): a tally has rows for all time,
// per month and for finer spans; additions since the last fold are separate rows.

/** Tally rows that together cover a span: those of one step that start in it. */
export interface Piece {
  readonly step: "all" | "month" | "day";
  /** Local time; absent: all time. */
  readonly within?: Days;
}

/** The first day and the day after the last. */
export interface Days {
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
}

const firstOfMonth = (day: Temporal.PlainDate): Temporal.PlainDate => day.with({ day: 1 });

/** PostgreSQL's format; JavaScript writes days after the year 9999 as "+010000-…". */
export const toDay = (day: Temporal.PlainDate): string => day.toString().replace(/^\+0*/, "");

/** Splits a span into whole months and the days around them; undefined means all time. */
export function splitAtMonths(days: Days | undefined): Piece[] {
  if (!days) return [{ step: "all" }];
  const { from, to } = days;
  const first = from.day === 1 ? from : firstOfMonth(from).add({ months: 1 });
  const last = firstOfMonth(to);
  if (Temporal.PlainDate.compare(first, last) >= 0) return [{ step: "day", within: days }];
  const pieces: Piece[] = [
    { step: "day", within: { from, to: first } },
    { step: "month", within: { from: first, to: last } },
    { step: "day", within: { from: last, to } },
  ];
  return pieces.filter(({ within }) => within && !within.from.equals(within.to));
}

export const foldTallies = (pool: Pool, source: string): Promise<void> =>
  inLongTransaction(pool, async (tx) => {
    await tx`select platform.fold_tallies(${source})`;
  });

const folding = new WeakMap<Pool, Set<string>>();

/** Folds in the background, for a reader who has found many additions; the minutely job retries. */
export function foldTalliesSoon(pool: Pool, source: string): void {
  const sources = folding.get(pool) ?? new Set();
  folding.set(pool, sources);
  if (sources.has(source)) return;
  sources.add(source);
  void foldTallies(pool, source)
    .catch(() => undefined)
    .finally(() => sources.delete(source));
}

/** Recounts a table's tallies under a lock against writers. */
export async function recountTallies(tx: Db, source: string): Promise<void> {
  await tx`select platform.recount_tallies(${source})`;
}
