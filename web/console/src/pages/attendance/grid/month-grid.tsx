import { CaretDownOutlined, CaretUpOutlined } from "@ant-design/icons";
import {
  memo,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  type UIEvent,
  useEffect,
  useRef,
  useState,
} from "react";
import { useLanguage } from "#shared/language/language.ts";
import { type DayKind, hasKind, type KindSet, listKinds } from "#console/pages/attendance/grid/day-results.ts";
import { numberOf, weekdayOf } from "#console/pages/attendance/days.ts";
import type { GridState } from "#console/pages/attendance/grid/grid-filters.tsx";
import {
  type GridFigure,
  gridFigures,
  gridUnits,
  type Person,
  toPersonKey,
} from "#console/pages/attendance/grid/people.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { usePrinting } from "#console/printing.tsx";

export interface MonthGridProps {
  readonly dates: readonly string[];
  readonly people: readonly Person[];
  readonly state: GridState;
  readonly onSort: (change: Pick<GridState, "sort" | "descending">) => void;
  readonly onOpen: (person: Person, day?: number) => void;
  readonly empty: ReactNode;
}

const rowHeightPx = 32;

// The native table contains only the rows in and near the view: eight thousand people times forty columns would be a
// third of a million cells. Ant Design's virtual list renders three elements per cell and no table semantics.
export function MonthGrid({ dates, people, state, onSort, onOpen, empty }: MonthGridProps) {
  const t = useTexts();
  const [language] = useLanguage();
  const { place, onScroll, shown, above, below } = useRowsInSight(people, rowHeightPx);
  const open = (event: MouseEvent) => {
    const cell = (event.target as Element).closest<HTMLElement>("td");
    const row = cell?.closest<HTMLElement>("tr")?.dataset["index"];
    const person = row === undefined ? undefined : people[Number(row)];
    const day = Number(cell?.dataset["day"]);
    if (person) onOpen(person, day > 0 ? day : undefined);
  };
  return (
    <section ref={place} className="q-attendance-grid" aria-label={t.gridLabel} onScroll={onScroll}>
      <table aria-rowcount={people.length + 1}>
        <colgroup>
          <col className="q-attendance-person-column" />
          {gridFigures.map((figure) => (
            <col key={figure} className="q-attendance-figure-column" />
          ))}
          {dates.map((date) => (
            <col key={date} className="q-attendance-day-column" />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col" className="q-attendance-person">
              {t.name}
            </th>
            {gridFigures.map((figure) => (
              <FigureHead key={figure} figure={figure} state={state} onSort={onSort} />
            ))}
            {dates.map((date) => {
              const weekday = weekdayOf(date);
              return (
                <th key={date} scope="col" className={weekday % 6 === 0 ? "q-attendance-weekend" : ""}>
                  {numberOf(date)}
                  <small>{weekdays[language].charAt(weekday)}</small>
                </th>
              );
            })}
          </tr>
        </thead>
        {/* Keyboard users open the person by the button with the name and choose the day in the drawer. */}
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions */}
        <tbody onClick={open}>
          <Space rows={above} />
          {shown.map((person, index) => (
            <PersonRow
              key={toPersonKey(person) + String(above + index)}
              person={person}
              index={above + index}
              dates={dates}
              words={t}
            />
          ))}
          <Space rows={below} />
        </tbody>
      </table>
      {people.length === 0 && empty}
    </section>
  );
}

export const weekdays = { zh: "日一二三四五六", en: "SMTWTFS" } as const;

const Space = ({ rows }: { readonly rows: number }) =>
  rows > 0 && (
    <tr aria-hidden className="q-attendance-space">
      <td style={{ height: rows * rowHeightPx }} />
    </tr>
  );

interface FigureHeadProps {
  readonly figure: GridFigure;
  readonly state: GridState;
  readonly onSort: MonthGridProps["onSort"];
}

function FigureHead({ figure, state, onSort }: FigureHeadProps) {
  const t = useTexts();
  const unit = t.figureUnits[gridUnits[figure]];
  const isSorted = state.sort === figure;
  const next = !isSorted
    ? { sort: figure, descending: true }
    : state.descending
      ? { sort: figure, descending: false }
      : { sort: undefined, descending: false };
  return (
    <th
      scope="col"
      aria-sort={!isSorted ? "none" : state.descending ? "descending" : "ascending"}
      className="q-attendance-figure"
    >
      <button
        type="button"
        title={t.figuresAbout[figure]}
        aria-label={t.sortBy(`${t.figuresShort[figure]} ${unit}`, t.figuresAbout[figure])}
        onClick={() => onSort(next)}
      >
        {t.figuresShort[figure]} <small>{unit}</small>
        {isSorted && (state.descending ? <CaretDownOutlined /> : <CaretUpOutlined />)}
      </button>
    </th>
  );
}

type Words = ReturnType<typeof useTexts>;

interface PersonRowProps {
  readonly person: Person;
  readonly index: number;
  readonly dates: readonly string[];
  /** The words are passed down, since a hook in each of the thousands of cells would read storage each time. */
  readonly words: Words;
}

const PersonRow = memo(function PersonRow({ person, index, dates, words }: PersonRowProps) {
  const { name, department, days, kinds, figures } = person;
  return (
    <tr data-index={index} aria-rowindex={index + 2}>
      <td className="q-attendance-person">
        <button type="button" title={`${name} ${department}`}>
          <strong>{name}</strong>
          <span>{department}</span>
        </button>
      </td>
      {gridFigures.map((figure) => (
        <td key={figure} className={!figures[figure] ? "q-attendance-figure q-attendance-zero" : "q-attendance-figure"}>
          {figures[figure]}
        </td>
      ))}
      {days.map((text, place) => drawDay(numberOf(dates[place] ?? ""), text, kinds[place] ?? 0, words))}
    </tr>
  );
});

const quiet: ReadonlySet<DayKind> = new Set(["normal", "rest"]);

function drawDay(day: number, text: string, kinds: KindSet, words: Words): ReactNode {
  const told = listKinds(kinds);
  const [kind] = told;
  if (!kind) return <td key={day} data-day={day} aria-label={words.blankDay} />;
  const isSeveral = told.filter((each) => !quiet.has(each)).length > 1;
  const title = words.dayOf(day, hasKind(kinds, "abnormal") ? `${text} ${words.kinds.abnormal}` : text);
  return (
    <td key={day} data-day={day} title={title} className={`q-attendance-day q-attendance-${kind}`}>
      <span aria-label={words.listed(told.map((each) => words.kinds[each]))} role="img">
        {words.glyphs[kind]}
        {isSeveral && <i aria-hidden>+</i>}
      </span>
    </td>
  );
}

// The rendered rows begin one block above the first visible block and change only when scrolling reaches another block.
const block = 16;
const drawn = 64;

interface RowsInSight<T> {
  readonly place: RefObject<HTMLElement | null>;
  readonly onScroll: (event: UIEvent) => void;
  readonly shown: readonly T[];
  readonly above: number;
  readonly below: number;
}

/** Every row must be `rowPx` high. Printing renders all rows. */
export function useRowsInSight<T>(rows: readonly T[], rowPx: number): RowsInSight<T> {
  const place = useRef<HTMLElement>(null);
  const isPrinting = usePrinting();
  const [firstBlock, setFirstBlock] = useState(0);
  // oxlint-disable react/exhaustive-effect-dependencies
  useEffect(() => {
    if (place.current) place.current.scrollTop = 0;
  }, [rows]);
  // oxlint-enable react/exhaustive-effect-dependencies
  const first = Math.max(0, Math.min(firstBlock * block, rows.length - drawn + block));
  const above = isPrinting ? 0 : Math.max(0, first - block);
  const shown = isPrinting ? rows : rows.slice(above, above + drawn + block);
  return {
    place,
    onScroll: ({ currentTarget }) => setFirstBlock(Math.floor(currentTarget.scrollTop / rowPx / block)),
    shown,
    above,
    below: rows.length - above - shown.length,
  };
}
