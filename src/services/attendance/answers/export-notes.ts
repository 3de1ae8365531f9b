import type { Bilingual, Language } from "#platform/contract/language.ts";
import type { Cell, SmallSheet } from "#platform/workbooks/index.ts";
import { type Covered, sheetNames } from "#services/attendance/coverage.ts";
import type { AnalysisSettings } from "#services/attendance/model.ts";

/** What the sheet 说明 of a download tells. */
export interface Notes {
  readonly month: string;
  readonly madeAt: string;
  readonly covered: readonly Covered[];
  readonly settings: AnalysisSettings;
  readonly warnings: readonly Bilingual[];
  /** Of a version. */
  readonly version?: {
    readonly number: number;
    readonly lockTime: string;
    readonly lockedBy: string;
    readonly note: string;
  };
}

const labels = {
  zh: {
    item: "项目",
    content: "内容",
    month: "月份",
    madeAt: "生成时间",
    version: "版本",
    versionOf: (number: number, time: string, by: string) => `第 ${number} 版，${by} 于 ${time} 锁定`,
    note: "备注",
    covered: "覆盖日期",
    nothing: "无",
    edges: "迟到早退分档",
    edgesOf: (first: number, second: number) => `${first} 分钟以内、${first}-${second} 分钟、${second} 分钟以上`,
    campus: "校区",
    to: "至",
    warning: "提醒",
  },
  en: {
    item: "Item",
    content: "Content",
    month: "Month",
    madeAt: "Made at",
    version: "Version",
    versionOf: (number: number, time: string, by: string) => `${number}, locked by ${by} at ${time}`,
    note: "Note",
    covered: "Days covered",
    nothing: "none",
    edges: "Late and early",
    edgesOf: (first: number, second: number) => `up to ${first} minutes, ${first}-${second}, above ${second}`,
    campus: "Campus",
    to: "to",
    warning: "Warning",
  },
} as const satisfies Record<Language, unknown>;

/** The sheet that says what the figures of a workbook rest on (A19). */
export function describeBasis(notes: Notes, language: Language): SmallSheet {
  const t = labels[language];
  const { month, madeAt, covered, settings, warnings, version } = notes;
  const [first, second] = settings.bucketEdges;
  const days = covered.map(({ sheet, from, to }) => `${sheetNames[sheet]} ${from} ${t.to} ${to}`);
  const rows: Cell[][] = [
    [t.month, month],
    ...(version ? [[t.version, t.versionOf(version.number, version.lockTime, version.lockedBy)]] : []),
    ...(version?.note ? [[t.note, version.note]] : []),
    [t.madeAt, madeAt],
    ...(days.length > 0 ? days : [t.nothing]).map((text) => [t.covered, text]),
    [t.edges, t.edgesOf(first, second)],
    ...settings.campuses.map(({ campus, keywords }) => [`${t.campus} ${campus}`, keywords.join("、")]),
    ...(warnings.length > 0 ? warnings.map((each) => each[language]) : [t.nothing]).map((text) => [t.warning, text]),
  ];
  const columns = [
    { header: t.item, width: 16, type: "text" as const },
    { header: t.content, width: 120, type: "text" as const },
  ];
  return { sheetName: "说明", columns, rows };
}
