import type { Explanation } from "#console/pages/attendance/records.ts";
import { EyeInvisibleOutlined, EyeOutlined, LeftOutlined, RightOutlined } from "@ant-design/icons";
import { Button, Drawer, Skeleton, Space, Tooltip } from "antd";
import { type ReactNode, useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PrintButton, PrintNote } from "#console/blocks/print.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { fromPersonKey } from "#console/pages/attendance/grid/people.ts";
import { DayDetail } from "#console/pages/attendance/person/day-detail.tsx";
import { FileNames } from "#console/pages/attendance/person/evidence.tsx";
import { FigureTable } from "#console/pages/attendance/person/figure-table.tsx";
import { JoinedPeople } from "#console/pages/attendance/person/joined-people.tsx";
import { PersonCalendar } from "#console/pages/attendance/person/person-calendar.tsx";
import { useFileNames } from "#console/pages/attendance/person/use-file-names.ts";
import { texts } from "#console/pages/attendance/texts.ts";

interface PersonDrawerProps {
  readonly month: string;
  /** See toPersonKey. */
  readonly personKey: string;
  /** The day that is looked at, from 1. */
  readonly day: number | undefined;
  readonly onDay: (day: number | undefined) => void;
  /** To the people beside this one in the grid; undefined at its ends. */
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
  readonly onClose: () => void;
}

/** One person's month: day by day, and what each figure is made of, down to the row of the sheet. */
export function PersonDrawer({ month, personKey, day, onDay, onPrevious, onNext, onClose }: PersonDrawerProps) {
  const t = useTexts(texts);
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
      {read.data && <Explained key={personKey} explanation={read.data} day={day} onDay={onDay} />}
    </Drawer>
  );
}

function Explained({
  explanation,
  day,
  onDay,
}: Pick<PersonDrawerProps, "day" | "onDay"> & { readonly explanation: Explanation }) {
  const { month, row } = explanation;
  return (
    <FileNames value={useFileNames(explanation)}>
      <WhoLine row={row} />
      <PersonCalendar month={month} row={row} day={day} onDay={onDay} />
      {day !== undefined && <DayDetail explanation={explanation} day={day} onClose={() => onDay(undefined)} />}
      <JoinedPeople explanation={explanation} />
      <FigureTable explanation={explanation} />
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
  const t = useTexts(texts);
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

/** Covered until it is asked for: screens are seen by others too. */
function IdCard({ idCard }: { readonly idCard: string }) {
  const t = useTexts(texts);
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
