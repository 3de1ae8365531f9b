import type { Bilingual } from "#platform/language.ts";
import { Problem } from "#platform/problem.ts";
import type { SpreadsheetError, SpreadsheetReason } from "#platform/spreadsheet/index.ts";

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

/** The fault of a workbook in both languages, with the sheet, the headings and the row that it is about. */
export function describeFileFault({ reason, message, details }: SpreadsheetError): Bilingual {
  const { sheet = "", headings = [], row } = details;
  const named = [sheet, headings.join("、")].filter((part) => part !== "").join(" ");
  return {
    zh: `${wordings[reason]}${named && `：${named}`}${row === undefined ? "" : `（第${row}行）`}`,
    en: `${message}${named && `: ${named}`}${row === undefined ? "" : ` (row ${row})`}`,
  };
}

/** The problem that whoever sent the workbook is told. */
export const toFileProblem = (error: SpreadsheetError): Problem =>
  new Problem(error.kind === "too-large" ? "fileTooLarge" : "badFile", { detail: describeFileFault(error) });
