import { type Explanation, useSheetNames } from "#console/pages/attendance/records.ts";
import { EyeInvisibleOutlined, EyeOutlined, LeftOutlined, RightOutlined } from "@ant-design/icons";
import { Alert, Button, Drawer, Skeleton, Space, Tooltip } from "antd";
import { type ReactNode, useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PrintButton, PrintNote } from "#console/printing.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useLanguage } from "#shared/language/language.ts";
import { fromPersonKey, listDayTexts, readKinds, type SummaryRow } from "#console/pages/attendance/grid/people.ts";
import { type DayRange, listDays, numberOf, weekdayOf } from "#console/pages/attendance/days.ts";
import { DayDetail, FileNames } from "#console/pages/attendance/person/day-detail.tsx";
import { FigureTable } from "#console/pages/attendance/person/figure-table.tsx";
import { usePersonTexts, useTexts } from "#console/pages/attendance/texts.ts";
import { DayMark } from "#console/pages/attendance/grid/grid-filters.tsx";
import { listKinds, readClock } from "#console/pages/attendance/grid/day-results.ts";
import { weekdays } from "#console/pages/attendance/grid/month-grid.tsx";
import { joinWords } from "#console/blocks/format.ts";
import { WarningList } from "#console/pages/attendance/import/import-parts.tsx";
import { useMonthImports } from "#console/pages/attendance/import/import-table.tsx";

interface PersonDrawerProps {
  readonly month: string;
  readonly personKey: string;
  readonly day: number | undefined;
  readonly hasPunches: boolean;
  readonly onDay: (day: number | undefined) => void;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
  readonly onClose: () => void;
}

export function PersonDrawer(props: PersonDrawerProps) {
  const { month, personKey, day, hasPunches, onDay, onPrevious, onNext, onClose } = props;
  const t = useTexts();
  const read = useRead(attendance.explain, { query: { month, ...fromPersonKey(personKey) } });
  const row = read.data?.row;
  return (
    <Drawer
      open
      rootClassName="q-sheet"
      size={880}
      onClose={onClose}
      title={row ? `${row.workName} · ${month}` : month}
      extra={
        <Space size={4}>
          <PrintButton />
          <Step label={t.previousPerson} icon={<LeftOutlined />} onStep={onPrevious} />
          <Step label={t.nextPerson} icon={<RightOutlined />} onStep={onNext} />
        </Space>
      }
    >
      {read.error && <Failure failure={read.error} onRetry={read.refetch} />}
      {read.isPending && <Skeleton active paragraph={{ rows: 12 }} />}
      {read.data && (
        <Explained key={personKey} explanation={read.data} day={day} hasPunches={hasPunches} onDay={onDay} />
      )}
    </Drawer>
  );
}

function Explained({
  explanation,
  day,
  hasPunches,
  onDay,
}: Pick<PersonDrawerProps, "day" | "hasPunches" | "onDay"> & { readonly explanation: Explanation }) {
  const { days, row } = explanation;
  return (
    <FileNames value={useFileNames(explanation)}>
      <WhoLine row={row} />
      <PersonCalendar days={days} row={row} day={day} onDay={onDay} />
      {day !== undefined && <DayDetail explanation={explanation} day={day} onClose={() => onDay(undefined)} />}
      <JoinedPeople explanation={explanation} />
      <FigureTable explanation={explanation} hasPunches={hasPunches} />
      <PrintNote />
    </FileNames>
  );
}

interface StepProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly onStep: (() => void) | undefined;
}

const Step = ({ label, icon, onStep }: StepProps) => (
  <Tooltip title={label}>
    <Button type="text" aria-label={label} icon={icon} disabled={!onStep} onClick={() => onStep?.()} />
  </Tooltip>
);

function WhoLine({ row }: { readonly row: Explanation["row"] }) {
  const t = useTexts();
  return (
    <dl className="q-attendance-who">
      <div>
        <dt>{t.department}</dt>
        <dd>{row.department || t.noDepartment}</dd>
      </div>
      <div>
        <dt>{t.group}</dt>
        <dd>{row.groupOfCheck || t.noGroup}</dd>
      </div>
      <div>
        <dt>{t.workNum}</dt>
        <dd>{row.workNum || "—"}</dd>
      </div>
      <div>
        <dt>{t.userId}</dt>
        <dd>{row.userId || "—"}</dd>
      </div>
      <div>
        <dt>{t.idCard}</dt>
        <dd>{row.idCard === "" ? "—" : <IdCard idCard={row.idCard} />}</dd>
      </div>
    </dl>
  );
}

/** The identity card number is masked until the user reveals it, since others may see the screen. */
function IdCard({ idCard }: { readonly idCard: string }) {
  const t = useTexts();
  const [isSeen, setSeen] = useState(false);
  const label = isSeen ? t.hideIdCard : t.showIdCard;
  return (
    <>
      {isSeen ? idCard : `${idCard.slice(0, 4)}${"*".repeat(Math.max(0, idCard.length - 6))}${idCard.slice(-2)}`}
      <Button
        type="text"
        size="small"
        aria-label={label}
        title={label}
        icon={isSeen ? <EyeInvisibleOutlined /> : <EyeOutlined />}
        onClick={() => setSeen(!isSeen)}
      />
    </>
  );
}

interface PersonCalendarProps {
  readonly days: DayRange;
  readonly row: SummaryRow;
  readonly day: number | undefined;
  readonly onDay: (day: number | undefined) => void;
}

function PersonCalendar({ days, row, day, onDay }: PersonCalendarProps) {
  const t = useTexts();
  const [language] = useLanguage();
  const dates = listDays(days);
  const dayTexts = listDayTexts(row, dates);
  const kinds = readKinds(row, dayTexts, dates);
  const blanks = (weekdayOf(days.from) + 6) % 7;
  return (
    <section aria-labelledby="q-attendance-calendar">
      <h3 id="q-attendance-calendar" className="q-attendance-part">
        {t.calendar} <small className="q-soft">{t.calendarAbout}</small>
      </h3>
      <div className="q-attendance-calendar">
        {Array.from({ length: 7 }, (_, index) => (
          <span key={index} className="q-attendance-weekday" aria-hidden>
            {weekdays[language].charAt((index + 1) % 7)}
          </span>
        ))}
        {dates.map((date, index) => {
          const [text = "", number] = [dayTexts[index], numberOf(date)];
          const told = listKinds(kinds[index] ?? 0);
          const isOpen = day === number;
          return (
            <button
              key={date}
              type="button"
              style={index === 0 ? { gridColumnStart: blanks + 1 } : {}}
              aria-pressed={isOpen}
              title={text}
              onClick={() => onDay(isOpen ? undefined : number)}
            >
              <b>{number}</b>
              <span>
                {told.map((kind) => (
                  <DayMark key={kind} kind={kind} named />
                ))}
              </span>
              <small>{readClock(text)}</small>
            </button>
          );
        })}
      </div>
    </section>
  );
}

function JoinedPeople({ explanation: { waring, people } }: { readonly explanation: Explanation }) {
  const t = usePersonTexts();
  const nameSheet = useSheetNames();
  return (
    <>
      {waring !== "" && (
        <Alert
          type="warning"
          showIcon
          className="q-attendance-odd"
          title={t.odd}
          description={<WarningList waring={waring} />}
        />
      )}
      {people.length > 0 && (
        <section className="q-attendance-joined" aria-labelledby="q-attendance-joined">
          <h3 id="q-attendance-joined" className="q-attendance-part">
            {t.people} <small className="q-soft">{t.peopleAbout}</small>
          </h3>
          <ul>
            {people.map(({ kind, sheet, workName, userId, workNum, rows, by }) => (
              <li key={[kind, workName, userId, workNum].join()}>
                <span className="q-soft">{nameSheet(sheet)}</span>
                <span>{joinWords([workName, workNum, userId].filter((part) => part !== ""))}</span>
                <span className="q-soft q-figures">{t.rows(rows)}</span>
                <span className={by === "match" || by === "name" ? "" : "q-soft"}>{t.by[by ?? "unknown"]}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const none: ReadonlyMap<number, string> = new Map();

function useFileNames({ month, figures, extra }: Explanation): ReadonlyMap<number, string> {
  const { data } = useMonthImports(month);
  const evidence = [...figures, ...extra].flatMap(({ entries }) => entries.flatMap((entry) => entry.evidence));
  const imports = Map.groupBy(evidence, ({ sheet }) => sheet)
    .values()
    .map((rows) => new Set(rows.map((row) => row.import)))
    .filter(({ size }) => size > 1)
    .flatMap((ids) => [...ids]);
  const wanted = new Set(imports);
  if (wanted.size === 0 || !data) return none;
  return new Map(data.filter(({ id }) => wanted.has(id)).map(({ id, fileName }) => [id, fileName]));
}
