import type { Bilingual, Language } from "#platform/contract/language.ts";
import { Problem } from "#platform/contract/problem.ts";
import { SpreadsheetError, type SpreadsheetReason } from "#platform/workbooks/index.ts";

/** A row that an import cannot take; `row` is the sheet's own number. */
export interface RowFault extends Bilingual {
  readonly row: number;
  readonly field: string;
}

/** How many rows at fault an import names; it looks for no more. */
export const mostFaults = 100;

/** Rows that cannot be taken, so that none is. */
export class FaultyRows extends Error {
  readonly faults: readonly RowFault[];
  constructor(faults: readonly RowFault[]) {
    super("rows are at fault");
    this.faults = faults;
  }
}

/** @throws {FaultyRows} with the first of them, where there are any. */
export function refuseFaulty(faults: readonly RowFault[]): void {
  if (faults.length > 0) throw new FaultyRows(faults.slice(0, mostFaults));
}

const wordings: Readonly<Record<SpreadsheetReason, string>> = {
  empty: "文件为空",
  "old-xls": "不支持旧版 .xls 文件，请另存为 .xlsx 后重新上传",
  "open-document": "不支持 OpenDocument（.ods）文件，请另存为 .xlsx 后重新上传",
  "binary-workbook": "不支持二进制工作簿（.xlsb），请另存为 .xlsx 后重新上传",
  "web-page": "这是网页或 XML 格式的表格（扩展名可能是 .xls），请用表格软件另存为 .xlsx 后重新上传",
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
  "wrong-range": "标题行的统计日期不成立",
};

/** The fault of a file in both languages, with the sheet, the headings and the row that it is about, and what to do. */
export function describeFileFault(error: SpreadsheetError): Bilingual {
  const { sheet = "", headings = [], row, advice } = error.details;
  const named = [sheet, headings.join("、")].filter((part) => part !== "").join(" ");
  return {
    zh: `${wordings[error.reason]}${named && `：${named}`}${row === undefined ? "" : `（第${row}行）`}${advice ? `。${advice.zh}` : ""}`,
    en: `${error.message}${named && `: ${named}`}${row === undefined ? "" : ` (row ${row})`}${advice ? `. ${advice.en}` : ""}`,
  };
}

export const someRowsAreFaulty: Bilingual = {
  zh: "部分行有误，未导入任何数据",
  en: "Some rows are at fault; nothing was imported",
};

/** Row faults as they go out. */
export const toErrors = (faults: readonly RowFault[], language: Language) =>
  faults.map(({ row, field, ...says }) => ({ row, field, message: says[language] }));

/** The problem that the caller of an import is told; anything unforeseen as it is. */
export function toImportProblem(error: unknown, language: Language): unknown {
  if (error instanceof FaultyRows)
    return new Problem("importFailed", {
      detail: someRowsAreFaulty,
      data: { errors: toErrors(error.faults, language) },
    });
  if (!(error instanceof SpreadsheetError)) return error;
  return new Problem(error.kind === "too-large" ? "fileTooLarge" : "badFile", { detail: describeFileFault(error) });
}
