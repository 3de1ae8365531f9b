import type { JsonText } from "#platform/contract/envelope.ts";
import { isDescending } from "#platform/contract/sorting.ts";
import { type Db, startStatement } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import {
  type ListQuery,
  readJson,
  selectFields,
  toPageObject,
  writeFilters,
} from "#services/disease-command/record-store.ts";
import {
  type FieldOf,
  instant,
  plain,
  type RecordTable,
  since,
  toMonth,
  until,
} from "#services/disease-command/record-table.ts";
import type { plan } from "./contract.ts";

export const plans: RecordTable<FieldOf<typeof plan>> = {
  table: "disease_command.event_plan",
  columns: {
    title: plain("title"),
    startTime: instant("starts_at"),
    publishTime: instant("published_at"),
    content: plain("content"),
  },
  filters: { startTime: since("starts_at"), endTime: until("starts_at") },
  unlisted: "content",
};

/** A page of months, each with its plans in the order in which they start. */
export function listPlansByMonth(db: Db, settings: Settings, query: ListQuery): Promise<JsonText | undefined> {
  const statement = startStatement();
  const month = toMonth("starts_at", settings);
  const where = writeFilters(statement, plans, settings, query);
  const months = `from (select distinct ${month} from ${plans.table} ${where}) as months`;
  const rows = `
    select ${month} as month, json_agg(listed order by starts_at, plan.id) as plannings
    from ${plans.table} as plan cross join lateral (select ${selectFields(plans, settings, true)}) as listed ${where}
    group by 1 order by 1 ${isDescending(query) ? "desc" : "asc"}`;
  return readJson(db, statement, toPageObject(statement, query, months, rows));
}
