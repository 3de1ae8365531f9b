import type { Settings } from "#platform/process/config.ts";

/** How much a file that is read may hold. Every number can be lowered or raised by a setting. */
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

/** What the settings allow a workbook that is imported. */
export const toWorkbookLimits = (settings: Settings): Partial<SpreadsheetLimits> => ({
  maxFileBytes: settings.MAX_WORKBOOK_MB * 1024 ** 2,
  maxUnpackedBytes: settings.MAX_UNPACKED_GB * 1024 ** 3,
  maxRatio: settings.MAX_UNPACK_RATIO,
});
