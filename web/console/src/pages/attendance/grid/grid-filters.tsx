import { Button, Input, Select } from "antd";
import { useMemo, useState } from "react";
import { compareNames, formatCount } from "#console/blocks/format.ts";
import { bitOf, type DayKind, dayKinds, filterKinds } from "#console/pages/attendance/grid/day-results.ts";
import { type GridFigure, gridFigures, type Person } from "#console/pages/attendance/grid/people.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { useSearchParams } from "react-router";

interface GridFiltersProps {
  readonly people: readonly Person[];
  readonly shown: number;
  readonly state: GridState;
  readonly onChange: (change: Partial<GridState>) => void;
}

export function GridFilters({ people, shown, state, onChange }: GridFiltersProps) {
  const t = useTexts();
  const toOptions = (of: "department" | "group", blank: string) =>
    listValues(people, of).map(({ value, count }) => ({ value, label: t.counted(value || blank, formatCount(count)) }));
  // The counts ignore the filter by result, so that other results can still be chosen.
  const counted = useShown(people, { ...state, kinds: [], sort: undefined });
  // The input keeps its own text, since the address is updated later.
  const [name, setName] = useState(state.name);
  const isFiltered =
    state.name !== "" || state.department !== undefined || state.group !== undefined || state.kinds.length > 0;
  return (
    <div className="q-attendance-filters" role="search">
      <Input
        allowClear
        className="q-attendance-name-filter"
        aria-label={t.nameOrNumber}
        placeholder={t.nameOrNumber}
        value={name}
        onChange={({ target, nativeEvent }) => {
          setName(target.value);
          // Text that an input method is still composing is not searched.
          if (!("isComposing" in nativeEvent && nativeEvent.isComposing)) onChange({ name: target.value });
        }}
        onCompositionEnd={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <Select<string>
        allowClear
        showSearch={{ optionFilterProp: "label" }}
        className="q-attendance-department-filter"
        popupMatchSelectWidth={false}
        aria-label={t.department}
        placeholder={t.allDepartments}
        value={state.department ?? null}
        options={toOptions("department", t.noDepartment)}
        onChange={(department?: string) => onChange({ department })}
      />
      <Select<string>
        allowClear
        showSearch={{ optionFilterProp: "label" }}
        className="q-attendance-group-filter"
        popupMatchSelectWidth={false}
        aria-label={t.group}
        placeholder={t.allGroups}
        value={state.group ?? null}
        options={toOptions("group", t.noGroup)}
        onChange={(group?: string) => onChange({ group })}
      />
      <Legend people={counted} chosen={state.kinds} onChoose={(kinds) => onChange({ kinds })} />
      <span className="q-attendance-shown">
        <span role="status">{t.shownOf(formatCount(shown), formatCount(people.length))}</span>
        {isFiltered && (
          <Button
            type="link"
            size="small"
            onClick={() => {
              setName("");
              onChange({ name: "", department: undefined, group: undefined, kinds: [] });
            }}
          >
            {t.reset}
          </Button>
        )}
      </span>
    </div>
  );
}

interface LegendProps {
  readonly people: readonly Person[];
  readonly chosen: readonly DayKind[];
  readonly onChoose: (kinds: readonly DayKind[]) => void;
}

function Legend({ people, chosen, onChoose }: LegendProps) {
  const t = useTexts();
  const counts = countKinds(people);
  const toggle = (kind: DayKind) =>
    onChoose(chosen.includes(kind) ? chosen.filter((other) => other !== kind) : [...chosen, kind]);
  return (
    <div className="q-attendance-legend" role="group" aria-label={t.results}>
      {dayKinds
        .filter((kind) => counts[kind] > 0 || (filterKinds.includes(kind) && kind !== "other"))
        .map((kind) =>
          filterKinds.includes(kind) ? (
            <button
              key={kind}
              type="button"
              aria-pressed={chosen.includes(kind)}
              title={t.resultFilter(t.kinds[kind])}
              disabled={counts[kind] === 0 && !chosen.includes(kind)}
              onClick={() => toggle(kind)}
            >
              <DayMark kind={kind} />
              {t.kinds[kind]} <b>{formatCount(counts[kind])}</b>
            </button>
          ) : (
            <span key={kind}>
              <DayMark kind={kind} />
              {t.kinds[kind]}
            </span>
          ),
        )}
    </div>
  );
}

export function DayMark({ kind, named = false }: { readonly kind: DayKind; readonly named?: boolean }) {
  const t = useTexts();
  const spoken = named ? { role: "img", "aria-label": t.kinds[kind] } : { "aria-hidden": true };
  return (
    <span className={`q-attendance-mark q-attendance-${kind}`} {...spoken}>
      {t.glyphs[kind]}
    </span>
  );
}

export interface GridState {
  readonly name: string;
  /** Undefined for all departments; "" for people without a department. */
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
    // The current address is read instead of the rendered state, so that two quick changes are both kept.
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
    return shown.sort((left, right) => sign * ((left.figures[sort] ?? 0) - (right.figures[sort] ?? 0)));
  }, [people, name, department, group, wanted, sort, descending]);
}

function countKinds(people: readonly Person[]): Readonly<Record<DayKind, number>> {
  const counts = Object.fromEntries(dayKinds.map((kind) => [kind, 0])) as Record<DayKind, number>;
  for (const { all } of people) for (const kind of dayKinds) if ((all & bitOf(kind)) !== 0) counts[kind]++;
  return counts;
}

function listValues(people: readonly Person[], of: "department" | "group"): { value: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const person of people) counts.set(person[of], (counts.get(person[of]) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((left, right) => compareNames(left.value, right.value));
}
