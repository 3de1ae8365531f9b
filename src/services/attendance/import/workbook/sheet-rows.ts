import type { CellDecoder } from "#platform/workbooks/raw-row.ts";
import { openDailyReader } from "./daily-rows.ts";
import type { Layout } from "./layout.ts";
import { openOriginalReader } from "./original-rows.ts";
import type { SheetKind } from "./parts.ts";
import { openIdentityReader, openMonthReader } from "./people-rows.ts";
import type { MonthKept, RowReader } from "./row-outcome.ts";

/** Errors: none; what is wrong with a row is its outcome. */
export function openRowReader(layout: Layout, kind: SheetKind, kept: MonthKept, decode: CellDecoder): RowReader {
  if (kind === "month") return openMonthReader(layout, kept, decode);
  if (kind === "identity") return openIdentityReader(layout, decode);
  return kind === "daily" ? openDailyReader(layout, kept, decode) : openOriginalReader(layout, kept, decode);
}
