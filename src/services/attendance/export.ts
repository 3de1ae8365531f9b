import type { Readable } from "node:stream";
import { type Cell, type Column, writeWorkbook } from "#platform/spreadsheet/index.ts";
import { dayFields } from "./contract.ts";
import type { AnalysisSettings } from "./model.ts";
import type { Bucket } from "./rules-lateness.ts";
import type { SummaryRow } from "./summary-row.ts";

type Edges = AnalysisSettings["bucketEdges"];

interface ExportColumn {
  readonly field: string;
  readonly heading: string | ((edges: Edges) => string);
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

const columns: readonly ExportColumn[] = [
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
  number("attendanceDay", "出勤天数"),
  number("restDay", "休息天数"),
  number("workHours", "工作时长", 14),
  number("numberOfLate", "迟到次数"),
  number("numberOfLateTime", "迟到时长", 14),
  number("numberOfSeriousLateness", "严重迟到次数"),
  number("durationOfSevereLateness", "严重迟到时长", 14),
  number("daysOfAbsenteeismAndLateness", "旷工迟到天数"),
  number("leaveEarlyNumber", "早退次数"),
  number("leaveEarlyTimes", "早退时长", 14),
  number("lackOfWorkCardTimes", "上班缺卡次数"),
  number("lackOfMissingWorkCardTimes", "下班缺卡次数"),
  number("absenteeismDay", "旷工天数"),
  number("evectionDay", "出差"),
  number("goOutDay", "外出"),
  number("bereavementLeave", "丧假"),
  number("privateAffairLeaveDay", "事假"),
  number("maternityLeaveDay", "产假"),
  number("sickLeaveDay", "病假"),
  number("escortFalse", "陪产假"),
  number("marriageLeaveDay", "婚假"),
];

export interface ExportPlan {
  /** yyyy-MM */
  readonly month: string;
  /** The heading of each day of the month: its weekday. */
  readonly weekdays: readonly string[];
  readonly bucketEdges: Edges;
  /** Summary rows as JSON texts. */
  readonly rows: AsyncIterable<readonly string[]>;
}

/** The month as a workbook, in constant memory; ids are text, counts numbers, and a day column's heading is `1 六`. */
export function exportMonth({ month, weekdays, bucketEdges, rows }: ExportPlan): Readable {
  const days = weekdays.map((weekday, index): ExportColumn => ({
    field: dayFields[index] ?? "",
    heading: `${index + 1} ${weekday}`,
    width: 16,
    type: "text",
  }));
  const all = [...columns, ...days];
  const headings = all.map(({ heading, width, type }): Column => ({
    header: typeof heading === "string" ? heading : heading(bucketEdges),
    width,
    type,
  }));
  return writeWorkbook({ sheetName: `考勤汇总 ${month}`, columns: headings, rows: toCells(rows, all) });
}

async function* toCells(
  batches: AsyncIterable<readonly string[]>,
  all: readonly ExportColumn[],
): AsyncGenerator<Cell[][]> {
  for await (const batch of batches) {
    yield batch.map((data) => {
      const row = JSON.parse(data) as Record<string, Cell>;
      return all.map(({ field }) => row[field]);
    });
  }
}
