import { formatDateTime } from "#platform/contract/times.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { findRecord } from "#services/disease-command/record-store.ts";
import { found, keepRecords } from "#services/disease-command/records.ts";
import { monthSummaries } from "#services/disease-command/tables.ts";
import type { monthSummaryEndpoints } from "./contract.ts";

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
