import type { Bilingual } from "#platform/contract/language.ts";
import type { Settings } from "#platform/process/config.ts";

/** What is wrong with a file that somebody sent, and what to do about it. */
const reasons = {
  empty: { zh: "文件为空", en: "The file is empty" },
  "old-xls": {
    zh: "不支持旧版 .xls 文件，请另存为 .xlsx 后重新上传",
    en: "This is an old .xls workbook; save it as .xlsx and send that",
  },
  "open-document": {
    zh: "不支持 OpenDocument（.ods）文件，请另存为 .xlsx 后重新上传",
    en: "This is an OpenDocument workbook (.ods); save it as .xlsx and send that",
  },
  "binary-workbook": {
    zh: "不支持二进制工作簿（.xlsb），请另存为 .xlsx 后重新上传",
    en: "This is a binary workbook (.xlsb); save it as .xlsx and send that",
  },
  "web-page": {
    zh: "这是网页或 XML 格式的表格（扩展名可能是 .xls），请用表格软件另存为 .xlsx 后重新上传",
    en: "This is a web page or XML that only looks like a workbook; save it as .xlsx in a spreadsheet program and send that",
  },
  encrypted: {
    zh: "工作簿已加密，请取消密码后重新上传",
    en: "The workbook is protected by a password; save it without one and send that",
  },
  picture: {
    zh: "这是一张图片，不是表格，请上传导出的 .xlsx 文件",
    en: "This is a picture and no workbook; send the .xlsx file that was exported",
  },
  "not-a-workbook": {
    zh: "文件既不是 .xlsx 工作簿，也不是 CSV 文本",
    en: "This is neither an .xlsx workbook nor CSV text",
  },
  damaged: {
    zh: "工作簿已损坏或不完整，请重新保存后上传",
    en: "The workbook is damaged or cut short; save it again and send that",
  },
  "bad-encoding": {
    zh: "文本编码既不是 UTF-8 也不是 GB18030，请另存为 UTF-8",
    en: "The text is neither UTF-8 nor GB18030; save it as UTF-8",
  },
  "unclosed-quote": { zh: "CSV 中有未闭合的引号", en: "A quoted CSV field is never closed" },
  "empty-sheet": { zh: "工作表是空的", en: "The sheet is empty" },
  "no-sheet": { zh: "缺少工作表", en: "The workbook has no such sheet" },
  "unsafe-name": { zh: "压缩包内含有不安全的文件名", en: "The archive holds a file with an unsafe name" },
  "file-bytes": { zh: "文件过大", en: "The file is too large" },
  "unpacked-bytes": { zh: "工作簿解压后过大", en: "The workbook unpacks to too much data" },
  ratio: { zh: "工作簿的压缩比异常", en: "The workbook is compressed more than a genuine one can be" },
  entries: { zh: "压缩包内文件过多", en: "The archive holds too many files" },
  rows: { zh: "行数超过工作表上限", en: "There are more rows than a sheet may have" },
  columns: { zh: "列数超过工作表上限", en: "There are more columns than a sheet may have" },
  "cell-text": { zh: "单元格内容超过长度上限", en: "A cell holds more text than a cell may" },
  "row-text": { zh: "一行的内容超过长度上限", en: "A row holds more text than can be taken" },
  "shared-text": { zh: "工作簿的文本总量超过上限", en: "The workbook holds more text than can be taken" },
  markup: {
    zh: "工作簿含有表格软件不会写出的标记",
    en: "The workbook holds markup that no spreadsheet program writes",
  },
  memory: { zh: "读取该工作簿所需的内存或时间超过上限", en: "The workbook needs more memory to read than it may have" },
  "missing-heading": { zh: "缺少必需的表头", en: "Required headings are missing" },
  "double-heading": { zh: "表头重复", en: "A heading appears twice" },
  "wrong-range": { zh: "标题行的统计日期不成立", en: "The days that the title names cannot be" },
} satisfies Record<string, Bilingual>;

export type SpreadsheetReason = keyof typeof reasons;

export interface SpreadsheetDetails {
  /** The sheet's own row number, from 1. */
  readonly row?: number;
  /** The column's number, from 1. */
  readonly column?: number;
  readonly limit?: number;
  readonly actual?: number;
  readonly sheet?: string;
  /** Accepted texts of the headings in question, the preferred one first. */
  readonly headings?: readonly string[];
  /** What more there is to say to people: what the file was taken for, what to send instead. */
  readonly advice?: Bilingual;
}

/** The one error that reading a spreadsheet throws for a fault of the file. Holds no path and nothing of a person's row. */
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

/** The fault of a file in both languages, with the sheet, the headings and the row that it is about, and what to do. */
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
  /** The file as sent. */
  readonly maxFileBytes: number;
  readonly maxEntries: number;
  /** All entries together, unpacked. */
  readonly maxUnpackedBytes: number;
  /** Unpacked to packed bytes of one entry; genuine sheets reach 20 to 60. */
  readonly maxRatio: number;
  readonly maxRows: number;
  readonly maxColumns: number;
  readonly maxCellChars: number;
  /** Text of one row that is kept at a time. */
  readonly maxRowChars: number;
  /** Bytes of memory for the shared strings of a workbook. */
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
