import type { Readable } from "node:stream";
import { type Cell, writeWorkbook } from "#platform/workbooks/index.ts";
import { titleRow } from "#services/attendance/analysis/analysis.ts";
import type { ImportSheet } from "#services/attendance/contract.ts";

const person = ["姓名", "考勤组", "部门", "工号", "UserId"];
/** The figures that 月度汇总 has in every company; leave types differ. */
export const commonFigures = [
  "出勤天数",
  "休息天数",
  "工作时长",
  "迟到次数",
  "迟到时长",
  "严重迟到次数",
  "严重迟到时长",
  "旷工迟到天数",
  "早退次数",
  "早退时长",
  "上班缺卡次数",
  "下班缺卡次数",
  "旷工天数",
];
const figures = [...commonFigures, "出差", "外出", "事假", "病假", "丧假", "产假", "陪产假", "婚假"];
const punches = [...person, "考勤日期", "考勤时间", "打卡时间", "打卡结果", "打卡地址"];
const identities = ["姓名", "工号", "UserId", "身份证号"];

/** The workbook that people fill in and send back, for those who have no export of the attendance platform. */
export function writeSheetTemplate(sheet: ImportSheet, month: string): Readable {
  if (sheet === "work") return write("员工信息", identities, []);
  if (sheet === "original") return write("原始记录", punches, []);
  const { id: _id, userId: _userId, workName: _workName, ...days } = titleRow(month);
  const labels = Object.values(days as Record<string, string>)
    .filter((weekday) => weekday !== "")
    .map((_, index) => String(index + 1));
  // The title says which days the columns are, so it stands above the headings, as in an export.
  const headings = [...person, ...figures, ...labels];
  const title = `月度汇总 统计日期：${month}-01 至 ${month}-${String(labels.length).padStart(2, "0")}`;
  return write("月度汇总", [title, ...headings.slice(1).map(() => "")], [headings]);
}

function write(sheetName: string, headings: readonly string[], rows: readonly (readonly Cell[])[]): Readable {
  return writeWorkbook({
    sheetName,
    columns: headings.map((header) => ({ header, width: 14, type: "text" as const })),
    rows: [rows],
  });
}
