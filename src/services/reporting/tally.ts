import { type Db, inLongTransaction, type Pool } from "#platform/database/index.ts";

// A tally has rows per combination of keys: one for all time, and one for each month and each day. Changes since the
// last fold are in separate rows, the additions (`platform.keep_tallies` in migrations/0001_platform.sql).

/** Selects the tally rows of one step (all time, a month or a day) that together cover `within`. */
export interface Piece {
  readonly step: "all" | "month" | "day";
  readonly within?: Days;
}

/** `to` is the day after the last day. */
export interface Days {
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
}

const firstOfMonth = (day: Temporal.PlainDate): Temporal.PlainDate => day.with({ day: 1 });

/** PostgreSQL does not accept the sign that JavaScript writes for years after 9999 ("+010000-…"). */
export const toDay = (day: Temporal.PlainDate): string => day.toString().replace(/^\+0*/, "");

/** Splits a span into whole months and the days before and after them. An undefined span means all time. */
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

export function foldTalliesSoon(pool: Pool, source: string): void {
  const sources = folding.get(pool) ?? new Set();
  folding.set(pool, sources);
  if (sources.has(source)) return;
  sources.add(source);
  void foldTallies(pool, source)
    .catch(() => undefined)
    .finally(() => sources.delete(source));
}

/** Counts the tallies anew. The source table is locked against writers until the transaction ends. */
export async function recountTallies(tx: Db, source: string): Promise<void> {
  await tx`select platform.recount_tallies(${source})`;
}
