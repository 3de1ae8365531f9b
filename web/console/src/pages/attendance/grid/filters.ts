import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { compareNames } from "#console/blocks/names.ts";
import { type DayKind, dayKinds, bitOf } from "#console/pages/attendance/grid/day-results.ts";
import { type GridFigure, gridFigures, type Person } from "#console/pages/attendance/grid/people.ts";

/** What the grid shows, all of it in the address. */
export interface GridState {
  readonly name: string;
  /** Undefined: all. "" is the department of those who have none. */
  readonly department: string | undefined;
  readonly group: string | undefined;
  readonly kinds: readonly DayKind[];
  readonly sort: GridFigure | undefined;
  readonly descending: boolean;
}

const isKind = (text: string): text is DayKind => dayKinds.some((kind) => kind === text);
const isFigure = (text: string | null): text is GridFigure => gridFigures.some((figure) => figure === text);

export function useGridState(): readonly [GridState, (change: Partial<GridState>) => void] {
  const [search, setSearch] = useSearchParams();
  const change = (part: Partial<GridState>) => {
    // The address itself, which on a busy machine is ahead of what is drawn: two quick changes are both kept.
    const last = new URLSearchParams(location.search);
    setSearch(toSearch(last, { ...readState(last), ...part }), { replace: true });
  };
  return [readState(search), change];
}

function readState(search: URLSearchParams): GridState {
  const sort = search.get("sort");
  return {
    name: search.get("name") ?? "",
    department: search.get("department") ?? undefined,
    group: search.get("group") ?? undefined,
    kinds: (search.get("result") ?? "").split(",").filter(isKind),
    sort: isFigure(sort) ? sort : undefined,
    descending: search.get("order") === "desc",
  };
}

function toSearch(last: URLSearchParams, { name, department, group, kinds, sort, descending }: GridState) {
  const search = new URLSearchParams(last);
  const put = (key: string, value: string | undefined, blankIsNone = true) =>
    value === undefined || (blankIsNone && value === "") ? search.delete(key) : search.set(key, value);
  put("name", name);
  put("department", department, false);
  put("group", group, false);
  put("result", kinds.join(","));
  put("sort", sort);
  put("order", sort && (descending ? "desc" : "asc"));
  return search;
}

/** The people whom the filters leave, sorted. */
export function useShown(people: readonly Person[], state: GridState): readonly Person[] {
  const { name, department, group, sort, descending } = state;
  const wanted = state.kinds.reduce((set, kind) => set | bitOf(kind), 0);
  return useMemo(() => {
    const text = name.trim().toLowerCase();
    const shown = people.filter(
      (person) =>
        (department === undefined || person.department === department) &&
        (group === undefined || person.group === group) &&
        (wanted === 0 || (person.all & wanted) !== 0) &&
        (text === "" || person.name.toLowerCase().includes(text) || person.workNumber.toLowerCase().includes(text)),
    );
    if (!sort) return shown;
    const sign = descending ? -1 : 1;
    return shown.sort((left, right) => sign * (left.figures[sort] - right.figures[sort]));
  }, [people, name, department, group, wanted, sort, descending]);
}

/** How many people have each kind on some day. */
export function countKinds(people: readonly Person[]): Readonly<Record<DayKind, number>> {
  const counts = Object.fromEntries(dayKinds.map((kind) => [kind, 0])) as Record<DayKind, number>;
  for (const { all } of people) for (const kind of dayKinds) if ((all & bitOf(kind)) !== 0) counts[kind]++;
  return counts;
}

/** The values of a column in the order of names, each with how many people it has. */
export function listValues(people: readonly Person[], of: "department" | "group"): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const person of people) counts.set(person[of], (counts.get(person[of]) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((left, right) => compareNames(left.value, right.value));
}
