import type { JsonText } from "#platform/contract/envelope.ts";
import type { Db } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import { broadcasts, writeStatistics } from "#services/disease-command/broadcast/store.ts";
import { detections } from "#services/disease-command/detection/store.ts";
import { teamCounts } from "#services/disease-command/emergency-team/store.ts";
import { plans } from "#services/disease-command/event-planning/store.ts";
import { writeLast } from "#services/disease-command/fever-clinic/store.ts";
import { compileRead, selectFields, toArray, toObject } from "#services/disease-command/record-store.ts";
import { type RecordTable, toMonth } from "#services/disease-command/record-table.ts";
import { consumptionCategories, monthSummaries, scenicSpots } from "#services/disease-command/tables.ts";
import { writeCurrentTheme } from "#services/disease-command/theme/store.ts";
import { miniToilets } from "#services/disease-command/toilet/store.ts";
import type { ModuleName } from "./contract.ts";

/** SQL for each part of the overview. */
function writeParts(settings: Settings): Readonly<Record<ModuleName, string>> {
  const list = (table: RecordTable, rest: string) =>
    toArray(`select ${selectFields(table, settings, true)} from ${table.table} ${rest}`);
  const latestDates = `select distinct statistics_date from ${detections.table} order by 1 desc limit 30`;
  return {
    broadcast: toObject(
      `select ${writeStatistics(settings)} as statistics, ${list(broadcasts, "order by id desc limit 10")} as records`,
    ),
    consumptionCategoryStatistics: list(consumptionCategories, "order by id"),
    detectionStatistics: list(
      detections,
      `where statistics_date in (${latestDates}) order by statistics_date desc, id desc`,
    ),
    emergencyTeam: teamCounts,
    eventPlanning: list(
      plans,
      `where ${toMonth("starts_at", settings)} >= ${toMonth("now()", settings)} order by starts_at, id limit 20`,
    ),
    // Their own list has the content, which is up to 2 MiB each; the screen shows titles.
    eventPlanningMonthSummary: list({ ...monthSummaries, unlisted: "content" }, "order by month desc limit 12"),
    feverClinicOfHospitalStatistics: writeLast(settings),
    scenicSpotOverview: list(scenicSpots, "order by id desc limit 100"),
    theme: writeCurrentTheme(settings),
    toilet: miniToilets,
  };
}

/** A reader of the whole overview: one statement, out of one snapshot. */
export function compileOverview(settings: Settings): (db: Db) => Promise<JsonText | undefined> {
  const parts = Object.entries(writeParts(settings)).map(([name, part]) => `${part} as "${name}"`);
  const overview = toObject(`select ${parts.join(", ")}`);
  return compileRead(overview);
}
