import { SpreadsheetError } from "#platform/workbooks/index.ts";
import type { DayRange } from "./parts.ts";
import type { Outcome } from "./row-outcome.ts";
import type { Bilingual } from "#platform/contract/language.ts";

/** What the title row says of the days: missing or doubled, it is reported as a heading. */
const MONTH_HEADING = "统计日期";

/** True if the workbook can be read once the caller says which month is meant; the advice of the error says why. */
export function needsMonth(error: SpreadsheetError): boolean {
  return error.reason === "missing-heading" && error.details.headings?.[0] === MONTH_HEADING;
}

/**
 * The month of a sheet cannot be told: its title's range is not inside one, or it has no title, and then either no days
 * in its rows or those of several months.
 */
export function monthNeeded(sheet: string, range: DayRange | null, months: readonly string[] = []): SpreadsheetError {
  return new SpreadsheetError("missing-heading", {
    sheet,
    headings: [MONTH_HEADING],
    advice: describeMonthNeeded(sheet, range, months),
  });
}

function describeMonthNeeded(sheet: string, range: DayRange | null, months: readonly string[]): Bilingual {
  const [zh, en] = [sheet || "文件", sheet || "the text"];
  if (range !== null)
    return {
      zh: `month: ${zh}的统计日期 ${range.start} 至 ${range.end} 不在同一个月内，请填写 yyyy-MM`,
      en: `month: the days of ${en}, ${range.start} to ${range.end}, are not those of one month, so it must be given as yyyy-MM`,
    };
  const rows =
    months.length > 1
      ? [`，各行又属于 ${months.join("、")} 等月`, `, and its rows are of ${months.join(", ")}`]
      : ["", ""];
  return {
    zh: `month: ${zh}没有标题行（“统计日期：2026-05-01 至 2026-05-31”这样的一行）${rows[0]}，不知道是哪个月；请填写 yyyy-MM，或上传保留标题行的原始导出`,
    en: `month: ${en} has no title row (such as "统计日期：2026-05-01 至 2026-05-31")${rows[1]}, so the month must be given as yyyy-MM, or an export be sent that has its title`,
  };
}

/** The titles of one workbook name several months. */
export function severalMonths(months: readonly string[]): SpreadsheetError {
  return new SpreadsheetError("double-heading", {
    headings: [MONTH_HEADING],
    advice: {
      zh: `各工作表分属 ${months.join("、")}，请每次上传一个月的`,
      en: `The sheets are of ${months.join(", ")}; send those of one month at a time`,
    },
  });
}

/** What is wrong with a cell; the text itself is not repeated. */
export function describeBadCell(reason: Extract<Outcome, { kind: "bad" }>["reason"]): Bilingual {
  if (reason === "day") return { zh: "不是存在的日期", en: "is no day that exists" };
  if (reason === "time") return { zh: "不是存在的时间", en: "is no time that exists" };
  return {
    zh: "没有打卡时间；打卡结果为缺卡、未打卡、请假、出差、外出、加班或打卡无效时才可为空",
    en: "is blank, which only a result of 缺卡, 未打卡, 请假, 出差, 外出, 加班 or 打卡无效 allows",
  };
}
