import { Button, Input, Select } from "antd";
import { useState } from "react";
import { formatCount } from "#console/blocks/format.ts";
import { useTexts } from "#shared/language/language.ts";
import { DayMark } from "#console/pages/attendance/grid/day-mark.tsx";
import { type DayKind, dayKinds, filterKinds } from "#console/pages/attendance/grid/day-results.ts";
import { countKinds, type GridState, listValues } from "#console/pages/attendance/grid/filters.ts";
import type { Person } from "#console/pages/attendance/grid/people.ts";
import { texts } from "#console/pages/attendance/texts.ts";

interface GridFiltersProps {
  /** Everybody of the month, filtered or not. */
  readonly people: readonly Person[];
  readonly shown: number;
  readonly state: GridState;
  readonly onChange: (change: Partial<GridState>) => void;
}

/** The search of the grid, and its legend, whose parts are filters. */
export function GridFilters({ people, shown, state, onChange }: GridFiltersProps) {
  const t = useTexts(texts);
  const toOptions = (of: "department" | "group", blank: string) =>
    listValues(people, of).map(({ value, count }) => ({ value, label: t.counted(value || blank, formatCount(count)) }));
  // The address follows what is typed, and not the other way round: it may be late.
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
          // Half a word of an input method is nobody's name.
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
      <Legend people={people} chosen={state.kinds} onChoose={(kinds) => onChange({ kinds })} />
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
  const t = useTexts(texts);
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
