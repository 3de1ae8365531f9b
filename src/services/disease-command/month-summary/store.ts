import { equals, type FieldOf, instant, plain, type RecordTable } from "#services/disease-command/record-table.ts";
import type { monthSummary } from "./contract.ts";

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
