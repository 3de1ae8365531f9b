import { Select } from "antd";
import { texts as blockTexts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import { DayMark } from "#console/pages/attendance/grid/day-mark.tsx";
import { type DayKind, listKinds } from "#console/pages/attendance/grid/day-results.ts";
import type { MonthGridProps } from "#console/pages/attendance/grid/month-grid.tsx";
import { gridFigures, type Person, toPersonKey } from "#console/pages/attendance/grid/people.ts";
import { useRowsInSight } from "#console/pages/attendance/grid/use-rows-in-sight.ts";
import { texts } from "#console/pages/attendance/texts.ts";

const cardPx = 92;

/** The people of a month on a phone: of each the figures, and the days on which something was amiss. */
export function MonthCards({ people, state, onSort, onOpen, empty }: MonthGridProps) {
  const t = useTexts(texts);
  const { place, onScroll, shown, above, below } = useRowsInSight(people, cardPx);
  return (
    <>
      <SortChoice state={state} onSort={onSort} />
      <section ref={place} className="q-attendance-cards" aria-label={t.gridLabel} onScroll={onScroll}>
        <ul style={{ paddingBlock: `${above * cardPx}px ${below * cardPx}px` }}>
          {shown.map((person, index) => (
            <li key={toPersonKey(person) + String(above + index)}>
              <Card person={person} onOpen={onOpen} />
            </li>
          ))}
        </ul>
        {people.length === 0 && empty}
      </section>
    </>
  );
}

const quiet: ReadonlySet<DayKind> = new Set(["normal", "rest"]);

function Card({ person, onOpen }: { readonly person: Person; readonly onOpen: MonthGridProps["onOpen"] }) {
  const t = useTexts(texts);
  const { name, department, kinds, figures } = person;
  const told = kinds.flatMap((set, day) => {
    const kind = listKinds(set).find((each) => !quiet.has(each));
    return kind ? [{ day: day + 1, kind }] : [];
  });
  return (
    <button type="button" onClick={() => onOpen(person)}>
      <span>
        <strong>{name}</strong> <span className="q-soft">{department}</span>
      </span>
      <span className="q-attendance-card-figures">
        {gridFigures.map((figure) => (
          <span key={figure} className={figures[figure] === 0 ? "q-attendance-zero" : ""}>
            {t.figuresShort[figure]} {figures[figure]}
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
  const t = useTexts(texts);
  const { sort: label, sortWays } = useTexts(blockTexts);
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
