import { type Db, inLongTransaction, type Pool } from "#platform/database/index.ts";

// Exact totals out of a few rows (`platform.keep_tallies` of migrations/0001_platform.sql): a tally has a row for all
// time, for each month and for finer spans, and what was added since the last fold stands beside it.

/** Rows of a tally that together are a span: those of one step that begin in it. */
export interface Piece {
  readonly step: "all" | "month" | "day";
  /** Local time; left out for all time. */
  readonly within?: Days;
}

/** The first day, and the one after the last. */
export interface Days {
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
}

const firstOfMonth = (day: Temporal.PlainDate): Temporal.PlainDate => day.with({ day: 1 });

/** As PostgreSQL reads it; a day over the year 9999 is "+010000-…" to JavaScript. */
export const toDay = (day: Temporal.PlainDate): string => day.toString().replace(/^\+0*/, "");

/** The span as whole months and the days before and after them; no span is all time. */
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

/** Moves what was added to the tallies of a table since the last time into them. */
export const foldTallies = (pool: Pool, source: string): Promise<void> =>
  inLongTransaction(pool, async (tx) => {
    await tx`select platform.fold_tallies(${source})`;
  });

const folding = new WeakMap<Pool, Set<string>>();

/** As foldTallies, for a reader who has met many additions and does not wait; the job of each minute tries again. */
export function foldTalliesSoon(pool: Pool, source: string): void {
  const sources = folding.get(pool) ?? new Set();
  folding.set(pool, sources);
  if (sources.has(source)) return;
  sources.add(source);
  void foldTallies(pool, source)
    .catch(() => undefined)
    .finally(() => sources.delete(source));
}

/** Counts a table anew, while nobody writes to it. */
export async function recountTallies(tx: Db, source: string): Promise<void> {
  await tx`select platform.recount_tallies(${source})`;
}
