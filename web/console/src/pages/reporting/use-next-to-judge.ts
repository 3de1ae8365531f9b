import { useState } from "react";
import { reporting } from "#shared/api/reporting.ts";
import { useListState } from "#console/blocks/list-page/address.ts";
import { useRead } from "#console/call/use-call.ts";

/** So far ahead is looked. */
const pageSize = 50;

export interface NextToJudge {
  /** Undefined when no other is left, or while it is not known. */
  readonly next: number | undefined;
  /** How many others are to be judged; undefined while it is not known. */
  readonly others: number | undefined;
  /** To be called when one goes on: who passes a report over meets it again after all others. */
  readonly pass: () => void;
}

/** The report to be judged after this one, in the order and by the search of the list; round from its end to its top. */
export function useNextToJudge(current: number): NextToJudge {
  const [{ filters, sort, order }] = useListState();
  const sorting = sort && order ? { orderField: sort, order } : {};
  const query = { ...filters, ...sorting, delStatus: 1, valid: 0, currPage: 1, pageSize };
  const { data } = useRead(reporting.listReports, { query } as never);
  const [passed, setPassed] = useState<ReadonlySet<number>>(new Set());
  const ids = data?.list.map(({ id }) => id) ?? [];
  const index = ids.indexOf(current);
  // Once it is judged, it leaves the list, and what was behind it stands in its place.
  const [place, setPlace] = useState(0);
  if (index >= 0 && index !== place) setPlace(index);
  const others = ids.filter((id) => id !== current);
  const inTurn = [...others.slice(place), ...others.slice(0, place)];
  return {
    next: inTurn.find((id) => !passed.has(id)) ?? inTurn[0],
    others: data && data.totalCount - (index >= 0 ? 1 : 0),
    pass: () => setPassed(new Set([...passed, current])),
  };
}
