import { formatDateTime } from "#platform/contract/times.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { findRecord } from "#services/disease-command/record-store.ts";
import { equals, type FieldOf, instant, plain, type RecordTable } from "#services/disease-command/record-table.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import type { monthSummary, monthSummaryEndpoints } from "./contract.ts";

export function monthSummaryHandlers({ settings, clock }: Platform): Handlers<typeof monthSummaryEndpoints> {
  const { page, info, save, update, remove } = keepRecords(monthSummaries, settings);
  const presentMonth = () => formatDateTime(new Date(clock()), settings.TIME_ZONE).slice(0, 7);
  return {
    listMonthSummaries: page,
    findMonthSummary: info,
    findSummaryOfMonth: async ({ db, params }) =>
      found(await findRecord(db, monthSummaries, settings, { column: "month", value: params.month })),
    saveMonthSummary: (call) => save({ ...call, body: { ...call.body, month: call.body.month ?? presentMonth() } }),
    updateMonthSummary: update,
    deleteMonthSummaries: remove,
  };
}

export const monthSummaries: RecordTable<FieldOf<typeof monthSummary>> = {
  table: "disease_command.month_summary",
  columns: {
    title: plain("title"),
    content: plain("content"),
    images: plain("images"),
    month: plain("month"),
    publishTime: instant("published_at"),
  },
  filters: { month: equals("month") },
  unique: { month_summary_month_key: "month" },
  files: "images",
};
