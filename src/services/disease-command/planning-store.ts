import type { JsonText } from "#platform/contract/envelope.ts";
import { isDescending } from "#platform/contract/sorting.ts";
import { parseDateTime } from "#platform/contract/times.ts";
import { type Db, startStatement, Within } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import type { monthSummary, plan } from "./planning-contract.ts";
import {
  equals,
  type FieldOf,
  instant,
  type ListQuery,
  plain,
  readJson,
  type RecordTable,
  selectFields,
  toMonth,
  toPageObject,
  writeFilters,
} from "./record-store.ts";

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

export const plans: RecordTable<FieldOf<typeof plan>> = {
  table: "disease_command.event_plan",
  columns: {
    title: plain("title"),
    startTime: instant("starts_at"),
    publishTime: instant("published_at"),
    content: plain("content"),
  },
  filters: {
    startTime: (statement, value: string, { TIME_ZONE }) =>
      `starts_at >= ${statement.value(parseDateTime(value, TIME_ZONE))}`,
    endTime: (statement, value: string, { TIME_ZONE }) =>
      `starts_at <= ${statement.value(parseDateTime(value, TIME_ZONE))}`,
  },
  unlisted: "content",
};

export function listPlansByMonth(db: Db, settings: Settings, query: ListQuery): Promise<JsonText | undefined> {
  const statement = startStatement();
  const month = toMonth("starts_at", settings);
  const where = writeFilters(statement, plans, settings, query, Within.everywhere);
  const months = `from (select distinct ${month} from ${plans.table} ${where}) as months`;
  const rows = `
    select ${month} as month, json_agg(listed order by starts_at, plan.id) as plannings
    from ${plans.table} as plan cross join lateral (select ${selectFields(plans, settings, true)}) as listed ${where}
    group by 1 order by 1 ${isDescending(query) ? "desc" : "asc"}`;
  return readJson(db, statement, toPageObject(statement, query, months, rows));
}
