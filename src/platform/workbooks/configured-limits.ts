import type { Settings } from "#platform/process/config.ts";
import type { SpreadsheetLimits } from "#platform/workbooks/index.ts";

/** What the settings allow a workbook that is imported: its bytes, its bytes unpacked, and their ratio. */
export const toWorkbookLimits = (settings: Settings): Partial<SpreadsheetLimits> => ({
  maxFileBytes: settings.MAX_WORKBOOK_MB * 1024 ** 2,
  maxUnpackedBytes: settings.MAX_UNPACKED_GB * 1024 ** 3,
  maxRatio: settings.MAX_UNPACK_RATIO,
});
