import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { compareNames } from "#console/blocks/format.ts";
import { callWith } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import { type Person, type SummaryRow, toPerson } from "#console/pages/attendance/grid/people.ts";

/** Rows asked for at once: a few megabytes, so that there is something to be told meanwhile. */
const rowsAtOnce = 1000;

export interface Reading {
  readonly done: number;
  readonly total: number;
}

/**
 * Everybody of an analysed month: all of them, so that filters and sorting are at once. They are kept until the month
 * is analysed anew, which the second argument tells.
 */
export function usePeople(
  month: string,
  analyseTime: string | null | undefined,
): UseQueryResult<readonly Person[], CallFailure> & { readonly reading: Reading } {
  const [reading, setReading] = useState<Reading>({ done: 0, total: 0 });
  const read = useQuery<readonly Person[], CallFailure>({
    queryKey: ["attendance-people", month, analyseTime],
    queryFn: ({ signal }) => readPeople(month, signal, setReading),
    enabled: analyseTime !== undefined && analyseTime !== null,
    staleTime: Infinity,
  });
  return { ...read, reading };
}

/** As HR looks for somebody: by the sound of the name, of two alike by number. */
const byName = (one: Person, other: Person): number =>
  compareNames(one.name, other.name) || compareNames(one.workNumber, other.workNumber);

async function readPeople(month: string, signal: AbortSignal, tell: (reading: Reading) => void): Promise<Person[]> {
  const people: Person[] = [];
  const kept = new Map<string, string>();
  for (let curPage = 1; ; curPage++) {
    const query = { month, curPage, pageSize: rowsAtOnce };
    const page = (await callWith(attendance.download, { query }, { signal })) as {
      list: SummaryRow[];
      totalCount: number;
    };
    people.push(...page.list.map((row) => toPerson(row, month, kept)));
    tell({ done: people.length, total: page.totalCount });
    if (page.list.length < rowsAtOnce) return people.toSorted(byName);
  }
}
