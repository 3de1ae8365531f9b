import type { Bilingual, Language } from "#platform/language.ts";
import { Problem } from "#platform/problem.ts";
import { SpreadsheetError, type SpreadsheetReason } from "#platform/spreadsheet/index.ts";
import { FaultyRows } from "./copy-workbook.ts";
import type { RowFault } from "./import-store.ts";
import { needsMonth } from "./workbook/index.ts";

const wordings: Readonly<Record<SpreadsheetReason, string>> = {
  empty: "文件为空",
  "old-xls": "不支持旧版 .xls 文件，请另存为 .xlsx 后重新上传",
  encrypted: "工作簿已加密，请取消密码后重新上传",
  "not-a-workbook": "文件既不是 .xlsx 工作簿，也不是 CSV 文本",
  damaged: "工作簿已损坏或不完整，请重新保存后上传",
  "bad-encoding": "文本编码既不是 UTF-8 也不是 GB18030，请另存为 UTF-8",
  "unclosed-quote": "CSV 中有未闭合的引号",
  "no-sheet": "缺少工作表",
  "unsafe-name": "压缩包内含有不安全的文件名",
  "file-bytes": "文件过大",
  "unpacked-bytes": "工作簿解压后过大",
  ratio: "工作簿的压缩比异常",
  entries: "压缩包内文件过多",
  rows: "行数超过工作表上限",
  columns: "列数超过工作表上限",
  "cell-text": "单元格内容超过长度上限",
  "row-text": "一行的内容超过长度上限",
  "shared-text": "工作簿的文本总量超过上限",
  markup: "工作簿含有表格软件不会写出的标记",
  memory: "读取该工作簿所需的内存或时间超过上限",
  "missing-heading": "缺少必需的表头",
  "double-heading": "表头重复",
};

const monthMissing: Bilingual = {
  zh: "month: 统计日期不在同一个月内，请填写 yyyy-MM",
  en: "month: the title's days are not those of one month, so it must be given as yyyy-MM",
};

/** The fault of a file in both languages, with the sheet, the headings and the row that it is about. */
function describeFileFault(error: SpreadsheetError): Bilingual {
  if (needsMonth(error)) return monthMissing;
  const { sheet = "", headings = [], row } = error.details;
  const named = [sheet, headings.join("、")].filter((part) => part !== "").join(" ");
  return {
    zh: `${wordings[error.reason]}${named && `：${named}`}${row === undefined ? "" : `（第${row}行）`}`,
    en: `${error.message}${named && `: ${named}`}${row === undefined ? "" : ` (row ${row})`}`,
  };
}

/** What an import failed of, to be kept beside it: in both languages, since nobody knows yet who reads it. */
export function describeFailure(error: unknown): { reason: Bilingual; faults: readonly RowFault[] } {
  if (error instanceof FaultyRows)
    return {
      reason: { zh: "部分行有误，未导入任何数据", en: "Some rows are at fault; nothing was imported" },
      faults: error.faults,
    };
  if (error instanceof SpreadsheetError) return { reason: describeFileFault(error), faults: [] };
  if (error instanceof Problem && error.extras.detail) return { reason: error.extras.detail, faults: [] };
  return { reason: { zh: "系统未知异常", en: "Unknown system error" }, faults: [] };
}

/** Row faults as they go out. */
export const toErrors = (faults: readonly RowFault[], language: Language) =>
  faults.map(({ row, field, ...says }) => ({ row, field, message: says[language] }));

/** The problem that the caller of an import is told; anything unforeseen as it is. */
export function toImportProblem(error: unknown, language: Language): unknown {
  if (error instanceof FaultyRows)
    return new Problem("importFailed", {
      detail: describeFailure(error).reason,
      data: { errors: toErrors(error.faults, language) },
    });
  if (!(error instanceof SpreadsheetError)) return error;
  return new Problem(needsMonth(error) ? "badFormat" : error.kind === "too-large" ? "fileTooLarge" : "badFile", {
    detail: describeFileFault(error),
  });
}
