import { Table, type TableColumnType } from "antd";
import { Link } from "react-router";
import { attendance } from "#shared/api/attendance.ts";
import { Loaded } from "#console/blocks/failure.tsx";
import { compareNames, formatCount, joinWords } from "#console/blocks/format.ts";
import { useRead } from "#console/call/use-call.ts";
import {
  type Compared,
  type ComparedFigure,
  comparedFigures,
  type Comparison,
  isChanged,
  listChanged,
  type Other,
  copiedFigures,
  readFigure,
  sumFigure,
} from "#console/pages/attendance/compare/use-compared.ts";
import { useCompareTexts as useOwnTexts, useTexts } from "#console/pages/attendance/texts.ts";
import { nameFigure, useFixedNames } from "#shared/attendance/figure-names.ts";
import { toPersonKey } from "#console/pages/attendance/grid/people.ts";

const fixedPx = 218;
const figurePx = 96;
const changesPx = 200;

interface ComparisonTableProps {
  readonly compared: Compared;
  readonly otherName: string;
  /** Whether each side has the raw punches from which figures are computed. */
  readonly punched: Readonly<Record<"month" | "with", boolean>>;
}

export function ComparisonTable({ compared, otherName, punched }: ComparisonTableProps) {
  const t = { ...useTexts(), ...useOwnTexts() };
  const { month, other, department, onlyChanged } = compared;
  const query = {
    month,
    ...other,
    ...(department !== undefined && { department }),
    ...(onlyChanged && { changed: true }),
  };
  const read = useRead(attendance.compare, { query }, { keep: true });
  const { data, isFetching } = read;
  if (!data || read.error) return <Loaded read={read}>{() => null}</Loaded>;
  const shown = data.toSorted((one, next) => compareNames(one.workName, next.workName));
  // A version differs from its month mostly in columns that this table does not show, so the column of changes comes
  // before the figures. In a comparison of two months it comes last.
  const isVersion = "version" in other;
  const changes: TableColumnType<Comparison> = {
    title: t.changes,
    key: "changes",
    width: changesPx,
    ellipsis: { showTitle: true },
    render: (_value, row) => <Changes row={row} other={other} />,
  };
  const isNothing = (side: "month" | "with", figure: ComparedFigure) =>
    !punched[side] && !copiedFigures.has(figure) && sumFigure(data, side, figure) === 0;
  // The sums are over all rows and not over the table's current page.
  const sumUp = () => Sums({ rows: shown, label: t.total, labelCells: isVersion ? 3 : 2, isNothing });
  return (
    <section className="q-card q-list" aria-label={t.compare}>
      <p className="q-soft q-attendance-compared" role="status">
        {onlyChanged
          ? t.onlyChangedPeople(formatCount(data.length))
          : t.comparedPeople(formatCount(data.length), formatCount(data.filter((row) => isChanged(row, other)).length))}
      </p>
      <Table<Comparison>
        size="small"
        rowKey={toKey}
        dataSource={shown}
        loading={{ spinning: isFetching, delay: 150 }}
        locale={{ emptyText: onlyChanged ? t.nobodyChanged : t.noMatch }}
        pagination={{ defaultPageSize: 50, hideOnSinglePage: true, size: "small", showSizeChanger: true }}
        scroll={{ x: fixedPx + comparedFigures.length * figurePx + changesPx }}
        columns={[
          {
            title: t.name,
            key: "name",
            width: 110,
            fixed: "start",
            ellipsis: true,
            render: (_value, row) => <PersonLink row={row} compared={compared} otherName={otherName} />,
          },
          { title: t.workNum, dataIndex: "workNum", width: 108, ellipsis: true, render: (text: string) => text || "—" },
          ...(isVersion ? [changes] : []),
          ...comparedFigures.map((figure) => ({
            title: t.compareColumns[figure],
            key: figure,
            width: figurePx,
            align: "right" as const,
            className: "q-figures",
            sorter: (left: Comparison, right: Comparison) => differenceOf(left, figure) - differenceOf(right, figure),
            showSorterTooltip: { title: t.difference(t.compareColumns[figure]) },
            render: (_value: unknown, row: Comparison) => (
              <Pair
                one={isNothing("month", figure) ? undefined : readFigure(row.month, figure)}
                two={isNothing("with", figure) ? undefined : readFigure(row.with, figure)}
              />
            ),
          })),
          ...(isVersion ? [] : [changes]),
        ]}
        summary={sumUp}
      />
    </section>
  );
}

const personOf = ({ userId, workNum, workName, month, with: beside }: Comparison) =>
  toPersonKey({ userId, workNumber: workNum, name: workName, group: (month ?? beside)?.groupOfCheck ?? "" });

const toKey = (row: Comparison): string => personOf(row) + (row.month === null ? " with" : "");

function Changes({ row, other }: { readonly row: Comparison; readonly other: Other }) {
  const t = { ...useTexts(), ...useOwnTexts() };
  const names: Readonly<Record<string, string>> = {
    ...useFixedNames(),
    days: t.days,
    workName: t.name,
    department: t.department,
    groupOfCheck: t.group,
    workNum: t.workNum,
    idCard: t.idCard,
  };
  const text = joinWords(listChanged(row, other).map((field) => nameFigure(names, field)));
  return <span title={text}>{text || <span className="q-soft">—</span>}</span>;
}

const differenceOf = (row: Comparison, figure: ComparedFigure): number =>
  (readFigure(row.month, figure) ?? 0) - (readFigure(row.with, figure) ?? 0);

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

interface PersonLinkProps {
  readonly row: Comparison;
  readonly compared: Compared;
  readonly otherName: string;
}

function PersonLink({ row, compared: { month, other }, otherName }: PersonLinkProps) {
  const t = useTexts();
  const where = row.month !== null ? month : "with" in other ? other.with : undefined;
  return (
    <>
      {where === undefined ? (
        row.workName
      ) : (
        <Link
          to={`/attendance/months/${where}?person=${encodeURIComponent(personOf(row))}`}
          aria-label={t.openPerson(row.workName)}
        >
          {row.workName}
        </Link>
      )}
      {(row.month === null || row.with === null) && (
        <small className="q-soft q-attendance-only">{t.onlyIn(row.month === null ? otherName : month)}</small>
      )}
    </>
  );
}

interface SumsProps {
  readonly rows: readonly Comparison[];
  readonly label: string;
  readonly labelCells: number;
  readonly isNothing: (side: "month" | "with", figure: ComparedFigure) => boolean;
}

function Sums({ rows, label, labelCells, isNothing }: SumsProps) {
  return (
    <Table.Summary.Row className="q-attendance-sums">
      <Table.Summary.Cell index={0} colSpan={labelCells}>
        {label}
      </Table.Summary.Cell>
      {comparedFigures.map((figure, index) => (
        <Table.Summary.Cell key={figure} index={index + labelCells} align="right" className="q-figures">
          <Pair
            one={isNothing("month", figure) ? undefined : sumFigure(rows, "month", figure)}
            two={isNothing("with", figure) ? undefined : sumFigure(rows, "with", figure)}
          />
        </Table.Summary.Cell>
      ))}
      {labelCells === 2 && <Table.Summary.Cell index={comparedFigures.length + labelCells} />}
    </Table.Summary.Row>
  );
}
