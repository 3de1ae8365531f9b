import type { Readable } from "node:stream";
import type { Bilingual, Language } from "#platform/contract/language.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { type Cell, type Column, type SmallSheet, writeWorkbook } from "#platform/workbooks/index.ts";
import { listDayNames } from "#services/attendance/analysis/summary-row.ts";
import { dayFields, ownColumns } from "#services/attendance/record-contract.ts";
import { type Covered, sheetNames } from "#services/attendance/days.ts";
import { headingOf } from "#services/attendance/figures.ts";
import { type AnalysisSettings, copiedFields } from "#services/attendance/model.ts";
import type { Units } from "#services/attendance/model.ts";
import type { MonthNotes, VersionRow } from "./version-store.ts";

type Edges = AnalysisSettings["bucketEdges"];

interface ExportColumn {
  readonly field: string;
  readonly heading: string;
  readonly width: number;
  readonly type: "text" | "number";
}

const first = ["workName", "groupOfCheck", "department", "workNum", "userId", "idCard", "attendanceDays"];

export const exportColumns: readonly ExportColumn[] = [
  ...new Set([...first, ...Object.keys(ownColumns)]).values().map((field) => {
    const { schema: _, ...column } = ownColumns[field as keyof typeof ownColumns];
    return { field, ...column };
  }),
  ...copiedFields.map((field) => ({ field, heading: headingOf(field), width: 12, type: "number" as const })),
];

const toExtraColumn = (heading: string) => ({ field: heading, heading, width: 12, type: "number" as const });

const toColumn = ({ field, heading, width, type }: ExportColumn, [low, high]: Edges, units: Units): Column => {
  const unit = units[field];
  const isOwn = Object.hasOwn(ownColumns, field);
  const named = isOwn ? heading.replace(/20|30/g, (edge) => String(edge === "20" ? low : high)) : heading;
  return { header: named + (unit ? `(${unit})` : ""), width, type };
};

interface Telling {
  readonly language: Language;
  readonly now: number;
  readonly zone: string;
}

export function exportMonth(notes: MonthNotes, rows: AsyncIterable<readonly string[]>, telling: Telling): Readable {
  const { month, settings, units, extra } = notes;
  const days = listDayNames(notes).map(({ number, weekday }): ExportColumn => ({
    field: dayFields[number - 1] ?? "",
    heading: `${number} ${weekday}`,
    width: 16,
    type: "text",
  }));
  const all = [...exportColumns, ...days];
  const columns = [...all, ...extra.map(toExtraColumn)].map((column) => toColumn(column, settings.bucketEdges, units));
  const blank = listBlank(notes);
  const cells = toCells(rows, (row) => [
    ...all.map(({ field }) => (blank.has(field) ? null : (row[field] as Cell))),
    ...extra.map((heading) => (row["extra"] as Row)[heading] ?? ""),
  ]);
  return writeWorkbook({ sheetName: `考勤汇总 ${month}`, columns, rows: cells, last: describeBasis(notes, telling) });
}

/** A figure whose source sheet is missing is left blank, since 0 would be a wrong statement (A19). */
function listBlank({ covered }: Pick<MonthNotes, "covered">): ReadonlySet<string> {
  const has = (sheet: Covered["sheet"]) => covered.some((each) => each.sheet === sheet);
  if (has("original")) return new Set();
  const counts = Object.entries(ownColumns).filter(([, { type }]) => type === "number");
  return new Set(counts.map(([field]) => field).filter((field) => field !== "attendanceDays" || !has("daily")));
}

type Parsed = Readonly<Record<string, unknown>>;

async function* toCells(
  batches: AsyncIterable<readonly string[]>,
  toRow: (data: Parsed) => Cell[],
): AsyncGenerator<Cell[][]> {
  for await (const batch of batches) yield batch.map((data) => toRow(JSON.parse(data) as Parsed));
}

type Row = Readonly<Record<string, string | number>>;

function readFigure(side: unknown, field: string): string | number | undefined {
  const { extra, ...row } = (side ?? { extra: {} }) as Row & { readonly extra: Row };
  return row[field] ?? (side ? (extra[field] ?? "") : undefined);
}

const people: readonly Column[] = [
  { header: "姓名", width: 12, type: "text" },
  { header: "部门", width: 24, type: "text" },
  { header: "工号", width: 12, type: "text" },
  { header: "UserId", width: 22, type: "text" },
];
// Only numbers are compared, so a comparison contains no identity cards.
const figures = exportColumns.filter(({ type }) => type === "number");

export function exportComparison(
  names: readonly [one: string, other: string],
  { bucketEdges, extra }: { readonly bucketEdges: Edges; readonly extra: readonly string[] },
  rows: AsyncIterable<readonly string[]>,
): Readable {
  const all = [...figures, ...extra.map(toExtraColumn)];
  const columns = all.flatMap((column) => {
    const { header, width = 10 } = toColumn(column, bucketEdges, {});
    return [...names, "差"].map((name): Column => ({ header: `${header} ${name}`, width: width + 4, type: "number" }));
  });
  const cells = toCells(rows, ({ workName, department, workNum, userId, month, with: other }) =>
    [workName, department, workNum, userId]
      .map((text) => text as Cell)
      .concat(
        all.flatMap(({ field }): Cell[] => {
          const [one, two] = [readFigure(month, field), readFigure(other, field)];
          const difference = Number(one) - Number(two);
          const isNone = one === undefined || two === undefined || Number.isNaN(difference);
          // Rounding removes the error of floating-point differences (0.3 − 0.1 ≠ 0.2).
          return [one, two, isNone ? null : Math.round(difference * 10_000) / 10_000];
        }),
      ),
  );
  return writeWorkbook({ sheetName: `考勤对比 ${names.join(" ")}`, columns: [...people, ...columns], rows: cells });
}

const labels = {
  item: { zh: "项目", en: "Item" },
  content: { zh: "内容", en: "Content" },
  month: { zh: "月份", en: "Month" },
  madeAt: { zh: "生成时间", en: "Created at" },
  version: { zh: "版本", en: "Version" },
  note: { zh: "备注", en: "Note" },
  covered: { zh: "覆盖日期", en: "Days covered" },
  nothing: { zh: "无", en: "none" },
  edges: { zh: "迟到早退分档", en: "Late and early buckets" },
  campus: { zh: "校区", en: "Campus" },
  offSite: { zh: "校区外", en: "Off-site" },
  to: { zh: "至", en: "to" },
  warning: { zh: "提醒", en: "Warning" },
  correction: { zh: "更正", en: "Correction" },
} as const satisfies Record<string, Bilingual>;

/** The sheet 说明 describes where the figures of the workbook come from (A19). */
function describeBasis(notes: MonthNotes & Partial<VersionRow>, { language, now, zone }: Telling): SmallSheet {
  const { month, covered, settings, warnings, corrections, number, lockedAt, lockedBy = "", note } = notes;
  const t = (label: keyof typeof labels): string => labels[label][language];
  const [first, second] = settings.bucketEdges;
  const edges = {
    zh: `${first} 分钟以内、${first}-${second} 分钟、${second} 分钟以上`,
    en: `up to ${first} minutes, ${first}-${second}, above ${second}`,
  };
  const lockTime = lockedAt && formatDateTime(lockedAt, zone);
  const version = {
    zh: `第 ${number} 版，${lockedBy} 于 ${lockTime} 锁定`,
    en: `${number}, locked by ${lockedBy} at ${lockTime}`,
  };
  const days = covered.map(({ sheet, from, to }) => `${sheetNames[sheet]} ${from} ${t("to")} ${to}`);
  const told = warnings.map((each) => each[language]);
  const rows: Cell[][] = [
    [t("month"), month],
    ...(lockTime ? [[t("version"), version[language]]] : []),
    ...(note ? [[t("note"), note]] : []),
    [t("madeAt"), formatDateTime(new Date(now), zone)],
    ...(days.length > 0 ? days : [t("nothing")]).map((text) => [t("covered"), text]),
    [t("edges"), edges[language]],
    ...settings.campuses.map(({ campus, keywords }) => [
      campus === 0 ? t("offSite") : `${t("campus")} ${campus}`,
      keywords.join("、"),
    ]),
    ...(told.length > 0 ? told : [t("nothing")]).map((text) => [t("warning"), text]),
    ...corrections.map((each) => [t("correction"), each[language]]),
  ];
  const columns = [
    { header: t("item"), width: 16, type: "text" as const },
    { header: t("content"), width: 120, type: "text" as const },
  ];
  return { sheetName: "说明", columns, rows };
}
