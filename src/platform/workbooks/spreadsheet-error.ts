import type { Bilingual } from "#platform/contract/language.ts";

/**
 * What is wrong with a file that somebody sent:
 * - "format": it is no readable workbook or CSV text;
 * - "too-large": a size limit of the file or of what it unpacks to;
 * - "limit": more rows, columns, text or parts than a workbook may have;
 * - "heading": the headings that the import needs are missing or doubled.
 */
export type SpreadsheetProblem = "format" | "too-large" | "limit" | "heading";

export type SpreadsheetReason =
  | "empty"
  | "old-xls"
  | "open-document"
  | "binary-workbook"
  | "web-page"
  | "encrypted"
  | "not-a-workbook"
  | "damaged"
  | "bad-encoding"
  | "unclosed-quote"
  | "no-sheet"
  | "unsafe-name"
  | "file-bytes"
  | "unpacked-bytes"
  | "ratio"
  | "entries"
  | "rows"
  | "columns"
  | "cell-text"
  | "row-text"
  | "shared-text"
  | "markup"
  | "memory"
  | "missing-heading"
  | "double-heading"
  | "wrong-range";

export type SpreadsheetDetails = {
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
};

// English, for logs and as a fallback; services word these for people in two languages.
const ADVICE: Record<SpreadsheetReason, string> = {
  empty: "The file is empty",
  "old-xls": "This is an old .xls workbook; save it as .xlsx and send that",
  "open-document": "This is an OpenDocument workbook (.ods); save it as .xlsx and send that",
  "binary-workbook": "This is a binary workbook (.xlsb); save it as .xlsx and send that",
  "web-page":
    "This is a web page or XML that only looks like a workbook; save it as .xlsx in a spreadsheet program and send that",
  encrypted: "The workbook is protected by a password; save it without one and send that",
  "not-a-workbook": "This is neither an .xlsx workbook nor CSV text",
  damaged: "The workbook is damaged or cut short; save it again and send that",
  "bad-encoding": "The text is neither UTF-8 nor GB18030; save it as UTF-8",
  "unclosed-quote": "A quoted CSV field is never closed",
  "no-sheet": "The workbook has no such sheet",
  "unsafe-name": "The archive holds a file with an unsafe name",
  "file-bytes": "The file is too large",
  "unpacked-bytes": "The workbook unpacks to too much data",
  ratio: "The workbook is compressed more than a genuine one can be",
  entries: "The archive holds too many files",
  rows: "There are more rows than a sheet may have",
  columns: "There are more columns than a sheet may have",
  "cell-text": "A cell holds more text than a cell may",
  "row-text": "A row holds more text than can be taken",
  "shared-text": "The workbook holds more text than can be taken",
  markup: "The workbook holds markup that no spreadsheet program writes",
  memory: "The workbook needs more memory to read than it may have",
  "missing-heading": "Required headings are missing",
  "double-heading": "A heading appears twice",
  "wrong-range": "The days that the title names cannot be",
};

/** The one error that reading a spreadsheet throws for a fault of the file. Holds no path and nothing of a person's row. */
export class SpreadsheetError extends Error {
  override readonly name = "SpreadsheetError";
  readonly kind: SpreadsheetProblem;
  readonly reason: SpreadsheetReason;
  readonly details: SpreadsheetDetails;

  constructor(kind: SpreadsheetProblem, reason: SpreadsheetReason, details: SpreadsheetDetails = {}) {
    super(ADVICE[reason]);
    this.kind = kind;
    this.reason = reason;
    this.details = details;
  }
}
