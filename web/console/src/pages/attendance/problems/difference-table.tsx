import { Alert } from "antd";
import { Link } from "react-router";
import { attendance } from "#shared/api/attendance.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useFixedNames, useFigureUnits } from "#shared/attendance/figure-names.ts";
import { toPersonKey } from "#console/pages/attendance/grid/people.ts";
import type { Difference, Month } from "#console/pages/attendance/records.ts";
import { useDifferenceTexts, useTexts } from "#console/pages/attendance/texts.ts";

export const useDifferences = ({ month, statu }: Pick<Month, "month" | "statu">) =>
  useRead(attendance.listDifferences, { query: { month } }, { enabled: statu === 2 });

interface DifferenceTableProps {
  readonly month: string;
  readonly differences: readonly Difference[];
  readonly pageSize?: number;
  readonly onFollow?: () => void;
}

export function DifferenceTable({ month, differences, pageSize = 20, onFollow }: DifferenceTableProps) {
  const t = { ...useTexts(), ...useDifferenceTexts() };
  const names = useFixedNames();
  const write = useFigureUnits();
  const link = ({ name, userId }: Difference, day?: string) => (
    <Link
      key={day ?? name}
      to={`/attendance/months/${month}?${new URLSearchParams({
        person: toPersonKey({ name, userId, workNumber: "", group: "" }),
        ...(day !== undefined && { day: String(Number(day.slice(8))) }),
      })}`}
      aria-label={t.openPerson(day === undefined ? name : `${name} ${day.slice(5)}`)}
      {...(onFollow && { onClick: onFollow })}
    >
      {day?.slice(5) ?? name}
    </Link>
  );
  return (
    <Records
      density="small"
      rowKey={({ userId, name, figure }) => `${userId}${name}${figure}`}
      rows={differences}
      empty={null}
      pageSize={pageSize}
      columns={[
        { title: t.name, field: "name", width: 90, render: (row) => link(row) },
        { title: t.figure, field: "figure", width: 150, wraps: true, render: ({ figure }) => names[figure] },
        { title: t.ours, field: "ours", width: 70, render: ({ figure, ours }) => write(figure, String(ours)) },
        { title: t.theirs, field: "theirs", width: 70, render: ({ figure, theirs }) => write(figure, String(theirs)) },
        {
          title: t.days,
          field: "days",
          width: 130,
          wraps: true,
          render: (row) =>
            row.days.length > 0 ? (
              <span className="q-figures q-attendance-difference-days">{row.days.map((day) => link(row, day))}</span>
            ) : (
              <span className="q-soft">{t.sumAlone}</span>
            ),
        },
      ]}
    />
  );
}

export function DifferencesBeforeLock({ month, onFollow }: Pick<DifferenceTableProps, "month" | "onFollow">) {
  const t = useDifferenceTexts();
  const { data = [] } = useDifferences({ month, statu: 2 });
  if (data.length === 0) return null;
  const people = new Set(data.map(({ userId, name }) => userId || name)).size;
  return (
    <div className="q-attendance-differences">
      <Alert type="warning" showIcon title={t.beforeLock(people)} description={t.about} />
      <DifferenceTable month={month} differences={data} pageSize={5} {...(onFollow && { onFollow })} />
    </div>
  );
}
