import { Skeleton, Table } from "antd";
import { Link } from "react-router";
import { attendance } from "#console/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { compareNames } from "#console/blocks/names.ts";
import { formatCount } from "#console/blocks/format.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import {
  type ComparedFigure,
  comparedFigures,
  type Comparison,
  isChanged,
  readFigure,
  sumFigure,
} from "#console/pages/attendance/compare/figures.ts";
import { toPersonKey } from "#console/pages/attendance/grid/people.ts";
import { texts } from "#console/pages/attendance/texts.ts";

interface ComparisonTableProps {
  readonly month: string;
  readonly other: string;
  readonly department: string;
  readonly onlyChanged: boolean;
}

/** The people of a department with the figures of both months, and the sums at the end. */
export function ComparisonTable({ month, other, department, onlyChanged }: ComparisonTableProps) {
  const t = useTexts(texts);
  const { data, error, refetch, isFetching } = useRead(
    attendance.compare,
    { query: { month, with: other, department } },
    { keep: true },
  );
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data)
    return (
      <div className="q-card">
        <Skeleton active />
      </div>
    );
  const changed = data.filter(isChanged);
  const shown = (onlyChanged ? changed : data).toSorted((one, next) => compareNames(one.workName, next.workName));
  // Of all, not of the page that the table passes.
  const sumUp = () => Sums({ rows: shown, label: t.total });
  return (
    <section className="q-card q-list" aria-label={t.compare}>
      <p className="q-soft q-attendance-compared" role="status">
        {t.comparedPeople(formatCount(data.length), formatCount(changed.length))}
      </p>
      <Table<Comparison>
        size="small"
        rowKey={(row) => toPersonKey({ userId: row.userId, workNumber: row.workNum, name: row.workName })}
        dataSource={shown}
        loading={{ spinning: isFetching, delay: 150 }}
        locale={{ emptyText: t.noMatch }}
        pagination={{ defaultPageSize: 50, hideOnSinglePage: true, size: "small", showSizeChanger: true }}
        scroll={{ x: 218 + comparedFigures.length * 88 }}
        columns={[
          {
            title: t.name,
            key: "name",
            width: 110,
            fixed: "start",
            ellipsis: true,
            render: (_value, row) => <PersonLink row={row} month={month} other={other} />,
          },
          { title: t.workNum, dataIndex: "workNum", width: 108, ellipsis: true, render: (text: string) => text || "—" },
          ...comparedFigures.map((figure) => ({
            title: t.compareColumns[figure],
            key: figure,
            width: 88,
            align: "right" as const,
            className: "q-figures",
            sorter: (left: Comparison, right: Comparison) => differenceOf(left, figure) - differenceOf(right, figure),
            showSorterTooltip: { title: t.difference(t.compareColumns[figure]) },
            render: (_value: unknown, row: Comparison) => (
              <Pair one={readFigure(row.month, figure)} two={readFigure(row.with, figure)} />
            ),
          })),
        ]}
        summary={sumUp}
      />
    </section>
  );
}

const differenceOf = (row: Comparison, figure: ComparedFigure): number =>
  (readFigure(row.month, figure) ?? 0) - (readFigure(row.with, figure) ?? 0);

/** The figure of the month, and by how much it differs from the other's. */
function Pair({ one, two }: { readonly one: number | undefined; readonly two: number | undefined }) {
  if (one === undefined || two === undefined) return <span className="q-soft">{one ?? two}</span>;
  const difference = Math.round((one - two) * 100) / 100;
  return (
    <>
      {one}
      <span className={difference === 0 ? "q-attendance-same" : "q-attendance-difference"}>
        {difference === 0 ? "" : difference > 0 ? `+${difference}` : `−${-difference}`}
      </span>
    </>
  );
}

function PersonLink({
  row,
  month,
  other,
}: {
  readonly row: Comparison;
  readonly month: string;
  readonly other: string;
}) {
  const t = useTexts(texts);
  const where = row.month === null ? other : month;
  const key = toPersonKey({ userId: row.userId, workNumber: row.workNum, name: row.workName });
  return (
    <>
      <Link
        to={`/attendance/months/${where}?person=${encodeURIComponent(key)}`}
        aria-label={t.openPerson(row.workName)}
      >
        {row.workName}
      </Link>
      {(row.month === null || row.with === null) && (
        <small className="q-soft q-attendance-only">{t.onlyIn(where)}</small>
      )}
    </>
  );
}

function Sums({ rows, label }: { readonly rows: readonly Comparison[]; readonly label: string }) {
  return (
    <Table.Summary.Row className="q-attendance-sums">
      <Table.Summary.Cell index={0} colSpan={2}>
        {label}
      </Table.Summary.Cell>
      {comparedFigures.map((figure, index) => (
        <Table.Summary.Cell key={figure} index={index + 2} align="right" className="q-figures">
          <Pair one={sumFigure(rows, "month", figure)} two={sumFigure(rows, "with", figure)} />
        </Table.Summary.Cell>
      ))}
    </Table.Summary.Row>
  );
}
