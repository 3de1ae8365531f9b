export interface Dated {
  readonly statisticsDate: string;
}

/** A figure by day, each value at the place of its day. */
export interface DaySeries {
  readonly name: string;
  readonly values: readonly number[];
}

/** As many records as a page of a list holds at most. */
export const mostRecords = 1000;
const mostDays = 30;
const mostNames = 6;

/**
 * The latest 30 dates of records that come newest date first, earliest first. Of records that were cut off, the earliest
 * date may lack some and is left out, unless it is the only one.
 */
export function listDays(records: readonly Dated[], isCut: boolean): string[] {
  const days = [...new Set(records.map(({ statisticsDate }) => statisticsDate))];
  const whole = isCut && days.length > 1 ? days.slice(0, -1) : days;
  return whole.slice(0, mostDays).toReversed();
}

export const sumDays = <R extends Dated>(
  records: readonly R[],
  days: readonly string[],
  of: (record: R) => number,
): number[] => {
  const sums = new Map(days.map((day) => [day, 0]));
  for (const record of records) {
    const sum = sums.get(record.statisticsDate);
    if (sum !== undefined) sums.set(record.statisticsDate, sum + of(record));
  }
  return [...sums.values()];
};

export interface NamedRecords<R> {
  readonly name: string;
  readonly records: readonly R[];
}

/** The days' records by name, the largest first; from the sixth of more than six on they are one, called `others`. */
export function groupDays<R extends Dated>(
  records: readonly R[],
  days: readonly string[],
  { nameOf, sizeOf, others }: { nameOf: (record: R) => string; sizeOf: (record: R) => number; others: string },
): NamedRecords<R>[] {
  const shown = new Set(days);
  const own = records.filter(({ statisticsDate }) => shown.has(statisticsDate));
  const groups = [...Map.groupBy(own, nameOf)]
    .map(([name, named]) => ({ name, records: named, size: named.reduce((sum, record) => sum + sizeOf(record), 0) }))
    .toSorted((one, other) => other.size - one.size)
    .map(({ name, records: named }) => ({ name, records: named }));
  if (groups.length <= mostNames) return groups;
  const rest = groups.slice(mostNames - 1).flatMap((group) => group.records);
  return [...groups.slice(0, mostNames - 1), { name: others, records: rest }];
}
