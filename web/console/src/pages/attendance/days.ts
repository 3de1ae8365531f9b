/** Both days are yyyy-MM-dd and inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;

export function listDays({ from, to }: DayRange): string[] {
  const first = Date.parse(from);
  return Array.from({ length: (Date.parse(to) - first) / dayMs + 1 }, (_, index) =>
    new Date(first + index * dayMs).toISOString().slice(0, 10),
  );
}

/**
 * Returns the day's number in its calendar month. The number is unique within an attendance month, even if that month
 * begins in the middle of a calendar month.
 */
export const numberOf = (day: string): number => Number(day.slice(8));

export const weekdayOf = (day: string): number => new Date(day).getUTCDay();

export function joinRanges(ranges: readonly DayRange[]): DayRange[] {
  const joined: DayRange[] = [];
  for (const { from, to } of ranges) {
    const last = joined.at(-1);
    const isNext = last !== undefined && listDays({ from: last.to, to: from }).length === 2;
    if (isNext) joined[joined.length - 1] = { from: last.from, to };
    else joined.push({ from, to });
  }
  return joined;
}
