import type { SpreadsheetError } from "#platform/spreadsheet/index.ts";
import type { Outcome } from "./row-outcome.ts";
import type { Wording } from "./parts.ts";

/** What the title row says of the days: missing or doubled, it is reported as a heading. */
export const MONTH_HEADING = "统计日期";

/** True if the workbook can be read once the caller says which month is meant. */
export function needsMonth(error: SpreadsheetError): boolean {
  return error.reason === "missing-heading" && error.details.headings?.[0] === MONTH_HEADING;
}

/** What is wrong with a cell; the text itself is not repeated. */
export function describeBadCell(reason: Extract<Outcome, { kind: "bad" }>["reason"]): Wording {
  if (reason === "day") return { zh: "不是存在的日期", en: "is no day that exists" };
  if (reason === "time") return { zh: "不是存在的时间", en: "is no time that exists" };
  return {
    zh: "没有打卡时间；打卡结果为缺卡、未打卡、请假、出差、外出、加班或打卡无效时才可为空",
    en: "is blank, which only a result of 缺卡, 未打卡, 请假, 出差, 外出, 加班 or 打卡无效 allows",
  };
}
