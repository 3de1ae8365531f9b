import type { Bilingual } from "#platform/contract/language.ts";
import type { Settings } from "#platform/process/config.ts";

const reasons = {
  empty: { zh: "文件为空", en: "The file is empty" },
  "old-xls": {
    zh: "不支持旧版 .xls 文件，请另存为 .xlsx 后重新上传",
    en: "Old .xls workbooks are not supported; save the file as .xlsx and upload it again",
  },
  "open-document": {
    zh: "不支持 OpenDocument（.ods）文件，请另存为 .xlsx 后重新上传",
    en: "OpenDocument workbooks (.ods) are not supported; save the file as .xlsx and upload it again",
  },
  "binary-workbook": {
    zh: "不支持二进制工作簿（.xlsb），请另存为 .xlsx 后重新上传",
    en: "Binary workbooks (.xlsb) are not supported; save the file as .xlsx and upload it again",
  },
  "web-page": {
    zh: "这是网页或 XML 格式的表格（扩展名可能是 .xls），请用表格软件另存为 .xlsx 后重新上传",
    en: "This is a web page or XML file (possibly named .xls); save it as .xlsx in a spreadsheet program and upload it again",
  },
  encrypted: {
    zh: "工作簿已加密，请取消密码后重新上传",
    en: "The workbook is encrypted; remove its password and upload it again",
  },
  picture: {
    zh: "这是图片文件，请上传导出的 .xlsx 文件",
    en: "This is a picture; upload the exported .xlsx file instead",
  },
  "not-a-workbook": {
    zh: "文件既不是 .xlsx 工作簿，也不是 CSV 文本",
    en: "The file is neither an .xlsx workbook nor CSV text",
  },
  damaged: {
    zh: "工作簿已损坏或不完整，请重新保存后上传",
    en: "The workbook is damaged or incomplete; save it again and upload it",
  },
  "bad-encoding": {
    zh: "文本编码既不是 UTF-8 也不是 GB18030，请另存为 UTF-8",
    en: "The text encoding is neither UTF-8 nor GB18030; save the file as UTF-8",
  },
  "unclosed-quote": { zh: "CSV 中有未闭合的引号", en: "The CSV file contains an unclosed quote" },
  "empty-sheet": { zh: "工作表为空", en: "The sheet is empty" },
  "no-sheet": { zh: "缺少工作表", en: "The workbook lacks a required sheet" },
  "unsafe-name": { zh: "压缩包内含有不安全的文件名", en: "The archive contains a file with an unsafe name" },
  "file-bytes": { zh: "文件过大", en: "The file is too large" },
  "unpacked-bytes": { zh: "工作簿解压后过大", en: "The workbook is too large when uncompressed" },
  ratio: { zh: "工作簿的压缩比异常", en: "The workbook has an implausible compression ratio" },
  entries: { zh: "压缩包内文件过多", en: "The archive contains too many files" },
  rows: { zh: "行数超过工作表上限", en: "The sheet has too many rows" },
  columns: { zh: "列数超过工作表上限", en: "The sheet has too many columns" },
  "cell-text": { zh: "单元格内容超过长度上限", en: "A cell exceeds the maximum text length" },
  "row-text": { zh: "一行的内容超过长度上限", en: "A row exceeds the maximum text length" },
  "shared-text": { zh: "工作簿的文本总量超过上限", en: "The workbook exceeds the maximum amount of text" },
  markup: {
    zh: "工作簿包含异常标记，请用表格软件重新保存后上传",
    en: "The workbook contains unexpected markup; save it again in a spreadsheet program and upload it",
  },
  memory: { zh: "读取该工作簿所需的内存或时间超过上限", en: "Reading the workbook exceeds the memory or time limit" },
  "missing-heading": { zh: "缺少必需的表头", en: "Required headings are missing" },
  "double-heading": { zh: "表头重复", en: "A heading is duplicated" },
  "wrong-range": { zh: "标题行中的统计日期无效", en: "The statistics dates in the title row are invalid" },
} satisfies Record<string, Bilingual>;

export type SpreadsheetReason = keyof typeof reasons;

export interface SpreadsheetDetails {
  readonly row?: number;
  readonly column?: number;
  readonly limit?: number;
  readonly actual?: number;
  readonly sheet?: string;
  readonly headings?: readonly string[];
  readonly advice?: Bilingual;
}

/** The only error that is thrown for a fault of the file. It contains no path and no personal data. */
export class SpreadsheetError extends Error {
  override readonly name = "SpreadsheetError";
  readonly reason: SpreadsheetReason;
  readonly details: SpreadsheetDetails;

  constructor(reason: SpreadsheetReason, details: SpreadsheetDetails = {}) {
    super(reasons[reason].en);
    this.reason = reason;
    this.details = details;
  }
}

export function describeFileFault({ reason, details }: SpreadsheetError): Bilingual {
  const { sheet = "", headings = [], row, advice } = details;
  const named = [sheet, headings.join("、")].filter((part) => part !== "").join(" ");
  const { zh, en } = reasons[reason];
  return {
    zh: `${zh}${named && `：${named}`}${row === undefined ? "" : `（第${row}行）`}${advice ? `。${advice.zh}` : ""}`,
    en: `${en}${named && `: ${named}`}${row === undefined ? "" : ` (row ${row})`}${advice ? `. ${advice.en}` : ""}`,
  };
}

export type SpreadsheetLimits = {
  readonly maxFileBytes: number;
  readonly maxEntries: number;
  readonly maxUnpackedBytes: number;
  /** The ratio of unpacked to packed bytes of one entry; real sheets have ratios of 20 to 60. */
  readonly maxRatio: number;
  readonly maxRows: number;
  readonly maxColumns: number;
  readonly maxCellChars: number;
  readonly maxRowChars: number;
  readonly maxSharedBytes: number;
};

export const DEFAULT_LIMITS: SpreadsheetLimits = {
  maxFileBytes: 200 * 1024 ** 2,
  maxEntries: 10_000,
  maxUnpackedBytes: 2 * 1024 ** 3,
  maxRatio: 200,
  maxRows: 1_048_576,
  maxColumns: 16_384,
  maxCellChars: 32_767,
  maxRowChars: 4 * 1024 ** 2,
  maxSharedBytes: 256 * 1024 ** 2,
};

export const toWorkbookLimits = (settings: Settings): Partial<SpreadsheetLimits> => ({
  maxFileBytes: settings.MAX_WORKBOOK_MB * 1024 ** 2,
});
