import type { Column } from "#platform/workbooks/index.ts";
import type { Bucket } from "#services/attendance/analysis/rules-lateness.ts";
import type { SummaryRow } from "#services/attendance/analysis/summary-row.ts";
import { headingOf } from "#services/attendance/figures.ts";
import type { Units } from "#services/attendance/workbook/index.ts";
import { type AnalysisSettings } from "#services/attendance/model.ts";
import { copiedFields } from "#services/attendance/copied-columns.ts";

type Edges = AnalysisSettings["bucketEdges"];

export interface ExportColumn {
  readonly field: string;
  readonly heading: string | ((edges: Edges, units: Units) => string);
  readonly width: number;
  /** Ids keep every digit; counts that the contract types as text are numbers to a reader of the sheet. */
  readonly type: "text" | "number";
}

const columnOf =
  (type: ExportColumn["type"], usualWidth: number) =>
  (field: keyof SummaryRow, heading: ExportColumn["heading"], width = usualWidth): ExportColumn => ({
    field,
    heading,
    width,
    type,
  });
const text = columnOf("text", 12);
const number = columnOf("number", 10);

/** What a bucket means, in its heading: with the standard edges `迟到20分钟以内次数`, `迟到20-30分钟次数`, `迟到30分钟以上次数`. */
const bucketHeading =
  (kind: "迟到" | "早退", bucket: Bucket) =>
  ([first, second]: Edges): string =>
    `${kind}${[`${first}分钟以内`, `${first}-${second}分钟`, `${second}分钟以上`][bucket]}次数`;

/** As the export had it: `事假(小时)`. */
const withUnit = (heading: string, unit: string | undefined): string => (unit ? `${heading}(${unit})` : heading);

const copiedWidth = 12;

/** The columns in front of the days'. */
export const exportColumns: readonly ExportColumn[] = [
  text("workName", "姓名"),
  text("groupOfCheck", "考勤组", 16),
  text("department", "部门", 24),
  text("workNum", "工号"),
  text("userId", "UserId", 22),
  text("idCard", "身份证号", 22),
  number("attendanceDays", "出勤合计天数"),
  number("daysOfAttendanceInHuangjiahu", "黄家湖出勤天数"),
  number("daysOfcardShortageInHuangjiahu", "黄家湖缺卡天数"),
  text("recondOfcardShortageInHuangjiahu", "黄家湖缺卡记录", 28),
  number("sumAttendanceInHuangjiahu", "黄家湖合计天数"),
  number("daysOfAttendanceInMoxuanhu", "墨轩湖出勤天数"),
  number("daysOfcardShortageInMoxuanhu", "墨轩湖缺卡天数"),
  text("recondOfcardShortageInMoxuanhu", "墨轩湖缺卡记录", 28),
  number("sumAttendanceInMoxuanhu", "墨轩湖合计天数"),
  number("abnormalClockNumber", "异常地点打卡天数"),
  text("abnormalClockRecond", "异常地点打卡记录", 36),
  number("leTwentyLateNumber", bucketHeading("迟到", 0)),
  number("lequalThirtyLateNumber", bucketHeading("迟到", 1)),
  number("geThirtyLateNumber", bucketHeading("迟到", 2)),
  text("lateOfRecond", "迟到记录", 32),
  number("leTwentyLeaveNumber", bucketHeading("早退", 0)),
  number("lequalThirtyLeaveNumber", bucketHeading("早退", 1)),
  number("geThirtyLeaveNumber", bucketHeading("早退", 2)),
  text("leaveOfRecond", "早退记录", 32),
  ...copiedFields.map((field) =>
    number(field, (_edges, units) => withUnit(headingOf(field), units[field]), copiedWidth),
  ),
];

/** A column of the workbook, its heading in the words of the analysis. */
export const toColumn = ({ heading, width, type }: ExportColumn, edges: Edges, units: Units): Column => ({
  header: typeof heading === "string" ? heading : heading(edges, units),
  width,
  type,
});
