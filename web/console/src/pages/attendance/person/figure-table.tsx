import { Switch, Table } from "antd";
import { useState } from "react";
import { nameFigure, useFigureNames, useFigureUnits, useFixedNames } from "#shared/attendance/figure-names.ts";
import { EvidenceList } from "#console/pages/attendance/person/day-detail.tsx";
import type { Explanation } from "#console/pages/attendance/records.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { usePrinting } from "#console/printing.tsx";

type Figure = Explanation["figures"][number] | Explanation["extra"][number];

type Group = "campus1" | "campus2" | "abnormal" | "late" | "early" | "copied" | "extra";
interface GroupRow {
  readonly field: Group;
  readonly isGroup: true;
}
type Row = Figure | GroupRow;

interface FigureTableProps {
  readonly explanation: Explanation;
  readonly hasPunches: boolean;
}

export function FigureTable({ explanation, hasPunches }: FigureTableProps) {
  const t = useTexts();
  const names = useFigureNames(explanation.bucketEdges);
  const isPrinting = usePrinting();
  const [withZero, setWithZero] = useState(false);
  const isNothing = explanation.figures.every(({ kind, value }) => kind !== "number" || value === "0");
  const known = explanation.figures.map((figure) => {
    const restsOnPunches =
      isNothing ||
      ["campus1", "campus2", "late", "early"].includes(groupOf(figure)) ||
      figure.field.startsWith("abnormal");
    const isBlank = !hasPunches && restsOnPunches && figure.kind === "number" && figure.value === "0";
    return isBlank ? { ...figure, value: "" } : figure;
  });
  const figures = [...known, ...explanation.extra].filter(({ value }) => withZero || (value !== "" && value !== "0"));
  return (
    <section aria-labelledby="q-attendance-figures">
      <h3 id="q-attendance-figures" className="q-attendance-part">
        {t.figures} <small className="q-soft">{t.figuresAboutDrawer}</small>
        <span className="q-attendance-zero-switch">
          <Switch size="small" checked={withZero} onChange={setWithZero} aria-label={t.showZero} /> {t.showZero}
        </span>
      </h3>
      <Table<Row>
        size="small"
        rowKey="field"
        className="q-attendance-figures"
        dataSource={toRows(figures)}
        pagination={false}
        columns={[
          {
            title: t.item,
            dataIndex: "field",
            width: "42%",
            onCell: (row) => ("isGroup" in row ? { colSpan: 3, className: "q-attendance-group" } : {}),
            render: (_field, row) => ("isGroup" in row ? t.figureGroups[row.field] : nameFigure(names, row.field)),
          },
          {
            title: t.value,
            dataIndex: "value",
            className: "q-figures",
            onCell: (row) => ("isGroup" in row ? { colSpan: 0 } : {}),
            render: (_value, row) => !("isGroup" in row) && <FigureValue figure={row} />,
          },
          {
            title: t.basis,
            width: "20%",
            onCell: (row) => ("isGroup" in row ? { colSpan: 0 } : {}),
            render: (_value, row) =>
              !("isGroup" in row) && (
                <span className="q-soft">
                  {row.entries.length === 0
                    ? hasPunches || row.kind === "copy"
                      ? t.noBasis
                      : t.restsOnNothing
                    : row.kind === "copy"
                      ? t.copied
                      : t.basisCount(row.entries.length)}
                </span>
              ),
          },
        ]}
        expandable={{
          ...(isPrinting && { expandedRowKeys: figures.map(({ field }) => field) }),
          columnWidth: 36,
          expandRowByClick: true,
          rowExpandable: (row) => !("isGroup" in row) && row.entries.length > 0,
          expandedRowRender: showEntries,
        }}
      />
    </section>
  );
}

const groups: readonly (readonly [Group, RegExp])[] = [
  ["campus1", /Huangjiahu$/],
  ["campus2", /Moxuanhu$/],
  ["abnormal", /^abnormal|^attendanceDays$/],
  ["late", /LateNumber$|^lateOfRecond$/],
  ["early", /LeaveNumber$|^leaveOfRecond$/],
];
function groupOf(figure: Figure): Group {
  if (figure.kind === "copy") return figure.field in useFixedNames.zh ? "copied" : "extra";
  return groups.find(([, pattern]) => pattern.test(figure.field))?.[0] ?? "copied";
}

function toRows(figures: readonly Figure[]): Row[] {
  const order: readonly Group[] = [...groups.map(([group]) => group), "copied", "extra"];
  return order.flatMap((group): Row[] => {
    const own = figures.filter((figure) => groupOf(figure) === group);
    return own.length === 0 ? [] : [{ field: group, isGroup: true }, ...own];
  });
}

function FigureValue({ figure }: { readonly figure: Figure }) {
  const withUnit = useFigureUnits();
  const { field, value, kind, unit } = figure;
  if (value === "") return <span className="q-soft">—</span>;
  return kind === "record" ? (
    <span className="q-attendance-record">{value}</span>
  ) : (
    <strong>{withUnit(field, value, unit)}</strong>
  );
}

const showEntries = (row: Row) => !("isGroup" in row) && <Entries figure={row} />;

function Entries({ figure: { entries } }: { readonly figure: Figure }) {
  return (
    <ol className="q-attendance-entries">
      {entries.map(({ day, text, evidence }) => (
        <li key={day + text}>
          {day !== "" && <strong>{text}</strong>}
          <EvidenceList evidence={evidence} />
        </li>
      ))}
    </ol>
  );
}
