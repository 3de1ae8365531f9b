import { Empty, Progress, Select, Skeleton } from "antd";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { PrintNote, usePrinting } from "#console/printing.tsx";
import { useIsPhone } from "#shared/media.ts";
import { listDays, numberOf } from "#console/pages/attendance/days.ts";
import { DayMark, GridFilters, useGridState, useShown } from "#console/pages/attendance/grid/grid-filters.tsx";
import { MonthGrid, type MonthGridProps, useRowsInSight } from "#console/pages/attendance/grid/month-grid.tsx";
import {
  type GridFigure,
  gridFigures,
  gridUnits,
  leaveOut,
  type Person,
  type Reading,
  toPersonKey,
  usePeople,
} from "#console/pages/attendance/grid/people.ts";
import { hasPunches, type Month, useUnplaced } from "#console/pages/attendance/records.ts";
import { PersonDrawer } from "#console/pages/attendance/person/person-drawer.tsx";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { useTexts as useBlockTexts } from "#console/blocks/texts.ts";
import { type DayKind, listKinds } from "#console/pages/attendance/grid/day-results.ts";

export function MonthSheet({ month: record }: { readonly month: Month }) {
  const { month } = record;
  const dates = useMemo(() => listDays(record.days), [record.days]);
  const t = useTexts();
  const { data, error, refetch, reading } = usePeople(record);
  const isPunched = hasPunches(record);
  const withPlaces = useUnplaced(record).length === 0;
  const people = useMemo(() => {
    const isNothing = (figure: GridFigure) =>
      !isPunched && data?.every(({ figures }) => figures[figure] === 0) === true;
    return data && leaveOut(data, gridFigures.filter(isNothing), withPlaces);
  }, [data, isPunched, withPlaces]);
  const [state, change] = useGridState();
  const shown = useShown(people ?? none, state);
  const [{ person, day }, open] = useOpenedPerson();
  const isPhone = useIsPhone();
  const isPrinting = usePrinting();
  const People = isPhone && !isPrinting ? MonthCards : MonthGrid;
  if (error) return <Failure failure={error} onRetry={refetch} />;
  const place = person === undefined ? -1 : shown.findIndex((each) => toPersonKey(each) === person);
  const stepTo = (other: Person | undefined) => other && (() => open(toPersonKey(other)));
  return (
    <>
      {people ? (
        <>
          <GridFilters people={people} shown={shown.length} state={state} onChange={change} />
          <People
            dates={dates}
            people={shown}
            state={state}
            onSort={change}
            onOpen={(chosen, chosenDay) => open(toPersonKey(chosen), chosenDay)}
            empty={<Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.noMatch} />}
          />
          <PrintNote />
        </>
      ) : (
        <ReadingState reading={reading} />
      )}
      {person !== undefined && (
        <PersonDrawer
          month={month}
          personKey={person}
          day={day}
          hasPunches={isPunched}
          onDay={(next) => open(person, next)}
          onPrevious={place > 0 ? stepTo(shown[place - 1]) : undefined}
          onNext={place >= 0 ? stepTo(shown[place + 1]) : undefined}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
}

const none: readonly Person[] = [];

function ReadingState({ reading: { done, total } }: { readonly reading: Reading }) {
  const t = useTexts();
  if (total === 0) return <Skeleton active />;
  const label = t.readingRows(formatCount(done), formatCount(total));
  return (
    <div className="q-attendance-reading">
      <Progress percent={Math.floor((done / total) * 100)} aria-label={label} />
      <p className="q-soft q-figures">{label}</p>
    </div>
  );
}

interface OpenedPerson {
  readonly person: string | undefined;
  readonly day: number | undefined;
}

function useOpenedPerson(): readonly [OpenedPerson, (person: string | undefined, day?: number) => void] {
  const [search, setSearch] = useSearchParams();
  const person = search.get("person") ?? undefined;
  const day = Number(search.get("day"));
  const open = (next: string | undefined, nextDay?: number) =>
    setSearch((last) => {
      const changed = new URLSearchParams(last);
      changed.delete("day");
      if (next === undefined) changed.delete("person");
      else changed.set("person", next);
      if (nextDay !== undefined) changed.set("day", String(nextDay));
      return changed;
    });
  const isKey = person !== undefined && /^[uwn]-./.test(person);
  const isDay = Number.isInteger(day) && day >= 1 && day <= 31;
  return [{ person: isKey ? person : undefined, day: isDay ? day : undefined }, open];
}

const cardPx = 92;

function MonthCards({ dates, people, state, onSort, onOpen, empty }: MonthGridProps) {
  const t = useTexts();
  const { place, onScroll, shown, above, below } = useRowsInSight(people, cardPx);
  return (
    <>
      <SortChoice state={state} onSort={onSort} />
      <section ref={place} className="q-attendance-cards" aria-label={t.gridLabel} onScroll={onScroll}>
        <ul style={{ paddingBlock: `${above * cardPx}px ${below * cardPx}px` }}>
          {shown.map((person, index) => (
            <li key={toPersonKey(person) + String(above + index)}>
              <Card dates={dates} person={person} onOpen={onOpen} />
            </li>
          ))}
        </ul>
        {people.length === 0 && empty}
      </section>
    </>
  );
}

const quiet: ReadonlySet<DayKind> = new Set(["normal", "rest"]);

interface CardProps extends Pick<MonthGridProps, "dates" | "onOpen"> {
  readonly person: Person;
}

function Card({ dates, person, onOpen }: CardProps) {
  const t = useTexts();
  const { name, department, kinds, figures } = person;
  const told = kinds.flatMap((set, place) => {
    const kind = listKinds(set).find((each) => !quiet.has(each));
    return kind ? [{ day: numberOf(dates[place] ?? ""), kind }] : [];
  });
  return (
    <button type="button" onClick={() => onOpen(person)}>
      <span>
        <strong>{name}</strong> <span className="q-soft">{department}</span>
      </span>
      <span className="q-attendance-card-figures">
        {gridFigures
          .filter((figure) => figures[figure] !== undefined)
          .map((figure) => (
            <span key={figure} className={!figures[figure] ? "q-attendance-zero" : ""}>
              {t.figuresShort[figure]} {figures[figure]} <small>{t.figureUnitsShort[gridUnits[figure]]}</small>
            </span>
          ))}
      </span>
      <span className="q-attendance-card-days">
        {told.map(({ day, kind }) => (
          <span key={day}>
            {day}
            <DayMark kind={kind} named />
          </span>
        ))}
      </span>
    </button>
  );
}

function SortChoice({ state: { sort, descending }, onSort }: Pick<MonthGridProps, "state" | "onSort">) {
  const t = useTexts();
  const { sort: label, sortWays } = useBlockTexts();
  return (
    <Select<string>
      allowClear
      className="q-wide"
      aria-label={label}
      placeholder={label}
      value={sort ? `${descending ? "desc" : "asc"} ${sort}` : null}
      options={gridFigures.flatMap((figure) =>
        (["desc", "asc"] as const).map((way) => ({
          value: `${way} ${figure}`,
          label: sortWays[way](t.figuresShort[figure]),
        })),
      )}
      onChange={(chosen?: string) => {
        const figure = gridFigures.find((each) => chosen?.endsWith(` ${each}`));
        onSort({ sort: figure, descending: chosen?.startsWith("desc") ?? false });
      }}
    />
  );
}
