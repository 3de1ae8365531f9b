import { Empty, Progress, Skeleton } from "antd";
import { useSearchParams } from "react-router";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { PrintNote } from "#console/blocks/print.tsx";
import { useTexts } from "#shared/language/language.ts";
import { useIsPhone } from "#shared/media.ts";
import { useGridState, useShown } from "#console/pages/attendance/grid/filters.ts";
import { GridFilters } from "#console/pages/attendance/grid/grid-filters.tsx";
import { MonthCards } from "#console/pages/attendance/grid/month-cards.tsx";
import { MonthGrid } from "#console/pages/attendance/grid/month-grid.tsx";
import { type Person, toPersonKey } from "#console/pages/attendance/grid/people.ts";
import { type Reading, usePeople } from "#console/pages/attendance/grid/use-people.ts";
import type { Month } from "#console/pages/attendance/records.ts";
import { PersonDrawer } from "#console/pages/attendance/person/person-drawer.tsx";
import { texts } from "#console/pages/attendance/texts.ts";
import { usePrinting } from "#console/printing.ts";

/** The grid with its filters, and the person who is open beside it. */
export function MonthSheet({ month: { month, analyseTime } }: { readonly month: Month }) {
  const t = useTexts(texts);
  const { data: people, error, refetch, reading } = usePeople(month, analyseTime);
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
            month={month}
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
  const t = useTexts(texts);
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
  /** From 1. */
  readonly day: number | undefined;
}

/** Who is open, and which of their days, in the address. */
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
