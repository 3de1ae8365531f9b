import { attendance } from "#shared/api/attendance.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { listDays, numberOf } from "#console/pages/attendance/days.ts";
import type { Month } from "#console/pages/attendance/records.ts";
import { bitOf, type KindSet, readDay } from "#console/pages/attendance/grid/day-results.ts";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { compareNames } from "#console/blocks/format.ts";
import { callWith } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";

type Rows = DataOf<typeof attendance.download>;
export type SummaryRow = Rows extends infer R ? (R extends (infer Row)[] ? Row : never) : never;

export const gridFigures = ["attended", "missing", "late", "early", "abnormal"] as const;
export type GridFigure = (typeof gridFigures)[number];
export const gridUnits = {
  attended: "days",
  missing: "days",
  late: "times",
  early: "times",
  abnormal: "days",
} as const;

/** Only the columns of a row that the grid needs are kept, since there may be thousands of rows. */
export interface Person {
  readonly name: string;
  readonly department: string;
  readonly group: string;
  readonly workNumber: string;
  readonly userId: string;
  readonly days: readonly string[];
  readonly kinds: readonly KindSet[];
  readonly all: KindSet;
  /** A figure is undefined if the data it is computed from is missing. */
  readonly figures: Readonly<Record<GridFigure, number | undefined>>;
}

type Identity = Pick<Person, "userId" | "workNumber" | "name" | "group">;

// No id, number, name or group contains this separator.
const groupMark = "\t";

/** The key is the UserId, else the number, else the name; the group follows, since people may share a UserId. */
export function toPersonKey({ userId, workNumber, name, group }: Identity): string {
  const key = userId !== "" ? `u-${userId}` : workNumber !== "" ? `w-${workNumber}` : `n-${name}`;
  return group === "" ? key : key + groupMark + group;
}

export function fromPersonKey(key: string): {
  userId?: string;
  workNum?: string;
  name?: string;
  groupOfCheck?: string;
} {
  const [who = "", groupOfCheck] = key.split(groupMark);
  const value = who.slice(2);
  return {
    ...(who.startsWith("u-") ? { userId: value } : who.startsWith("w-") ? { workNum: value } : { name: value }),
    ...(groupOfCheck !== undefined && { groupOfCheck }),
  };
}

const ordinals =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty twentyOne twentyTwo twentyThree twentyFour twentyFive twentySix twentySeven twentyEight twentyNine thirty thirtyOne".split(
    " ",
  );

export const dayFields: readonly string[] = ordinals.map((ordinal) => `${ordinal}OfMonth`);

export const listDayTexts = (row: SummaryRow, days: readonly string[]): string[] =>
  days.map((day) => (row as unknown as Record<string, string>)[dayFields[numberOf(day) - 1] ?? ""] ?? "");

/** Equal texts share one string, since thousands of people have few different texts. @param kept the shared strings */
function toPerson(row: SummaryRow, dates: readonly string[], kept: Map<string, string>): Person {
  const keep = (text: string): string => {
    const known = kept.get(text);
    if (known === undefined) kept.set(text, text);
    return known ?? text;
  };
  const days = listDayTexts(row, dates).map(keep);
  const kinds = readKinds(row, days, dates);
  return {
    name: row.workName,
    department: keep(row.department),
    group: keep(row.groupOfCheck),
    workNumber: row.workNum,
    userId: row.userId,
    days,
    kinds,
    all: kinds.reduce((all, set) => all | set, 0),
    figures: {
      attended: row.attendanceDays,
      missing: Number(row.daysOfcardShortageInHuangjiahu) + Number(row.daysOfcardShortageInMoxuanhu),
      late: row.leTwentyLateNumber + row.lequalThirtyLateNumber + row.geThirtyLateNumber,
      early: row.leTwentyLeaveNumber + row.lequalThirtyLeaveNumber + row.geThirtyLeaveNumber,
      abnormal: row.abnormalClockNumber,
    },
  };
}

/** Removes the figures in `left` and, if `withPlaces` is false, the figure and the marks of abnormal places. */
export function leaveOut(
  people: readonly Person[],
  left: readonly GridFigure[],
  withPlaces: boolean,
): readonly Person[] {
  if (left.length === 0 && withPlaces) return people;
  const blank = Object.fromEntries([...left, ...(withPlaces ? [] : ["abnormal"])].map((figure) => [figure, undefined]));
  const keep = (set: KindSet) => (withPlaces ? set : set & ~bitOf("abnormal"));
  return people.map((person) => ({
    ...person,
    figures: { ...person.figures, ...blank },
    kinds: person.kinds.map(keep),
    all: keep(person.all),
  }));
}

/**
 * Returns the results of each day: those in the cells' texts, and the missing and off-site punches that the analysis
 * found, which are not always in the cells.
 */
export function readKinds(row: SummaryRow, texts: readonly string[], dates: readonly string[]): KindSet[] {
  const kinds = texts.map(readDay);
  const mark = (records: string, kind: "missing" | "abnormal") => {
    for (const record of records.split("；")) {
      const place = dates.findIndex((date) => date.slice(5) === record.slice(0, 5));
      const set = kinds[place];
      if (set !== undefined) kinds[place] = set | bitOf(kind);
    }
  };
  mark(row.recondOfcardShortageInHuangjiahu, "missing");
  mark(row.recondOfcardShortageInMoxuanhu, "missing");
  mark(row.abnormalClockRecond, "abnormal");
  return kinds;
}

/** Rows are read in pages of a few megabytes, so that progress can be shown. */
const rowsAtOnce = 1000;

export interface Reading {
  readonly done: number;
  readonly total: number;
}

/** Loads all people of an analysed month, so that filtering and sorting are instant; cached until the next analysis. */
export function usePeople({
  month,
  days,
  analyseTime,
}: Month): UseQueryResult<readonly Person[], CallFailure> & { readonly reading: Reading } {
  const [reading, setReading] = useState<Reading>({ done: 0, total: 0 });
  const read = useQuery<readonly Person[], CallFailure>({
    queryKey: ["attendance-people", month, analyseTime],
    queryFn: ({ signal }) => readPeople(month, listDays(days), signal, setReading),
    enabled: analyseTime !== null,
    staleTime: Infinity,
  });
  return { ...read, reading };
}

const byName = (one: Person, other: Person): number =>
  compareNames(one.name, other.name) || compareNames(one.workNumber, other.workNumber);

async function readPeople(
  month: string,
  dates: readonly string[],
  signal: AbortSignal,
  tell: (reading: Reading) => void,
): Promise<Person[]> {
  const people: Person[] = [];
  const kept = new Map<string, string>();
  for (let curPage = 1; ; curPage++) {
    const query = { month, curPage, pageSize: rowsAtOnce };
    const page = (await callWith(attendance.download, { query }, { signal })) as {
      list: SummaryRow[];
      totalCount: number;
    };
    people.push(...page.list.map((row) => toPerson(row, dates, kept)));
    tell({ done: people.length, total: page.totalCount });
    if (page.list.length < rowsAtOnce) return people.toSorted(byName);
  }
}
