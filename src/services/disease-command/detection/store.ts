import type { Db } from "#platform/database/index.ts";
import type { RowFault } from "#platform/workbooks/import-problems.ts";
import type { ImportedRow } from "#platform/workbooks/import.ts";
import {
  equals,
  type FieldOf,
  fromDay,
  instant,
  plain,
  type RecordTable,
  toDay,
} from "#services/disease-command/record-table.ts";
import type { detection } from "./contract.ts";
import type { detectionColumns } from "./workbook.ts";

export const detections: RecordTable<FieldOf<typeof detection>> = {
  table: "disease_command.detection",
  columns: {
    statisticsDate: plain("statistics_date"),
    peopleType: plain("people_type"),
    detectionCount: plain("detections"),
    abnormalCount: plain("abnormal"),
    updateTime: instant("updated_at"),
  },
  filters: {
    startDate: fromDay("statistics_date"),
    endDate: toDay("statistics_date"),
    peopleType: equals("people_type"),
  },
  unique: { detection_date_people_key: "peopleType" },
};

type Row = ImportedRow<typeof detectionColumns>;

const toKey = (date: string, people: string): string => `${date} ${people}`;

/** Stores the rows of a workbook; returns those whose date and people are there already, or twice in the sheet. */
export async function insertDetections(tx: Db, rows: readonly Row[]): Promise<RowFault[]> {
  const values = rows.map((row) => row.values);
  const stored = await tx<{ date: string; people: string }[]>`
    insert into disease_command.detection (statistics_date, people_type, detections, abnormal)
    select * from unnest(${values.map((row) => row.statisticsDate)}::text[]::date[],
      ${values.map((row) => row.peopleType)}::text[], ${values.map((row) => row.detectionCount)}::bigint[],
      ${values.map((row) => row.abnormalCount)}::bigint[])
    on conflict do nothing returning statistics_date::text as date, people_type as people`;
  const left = new Set(stored.map(({ date, people }) => toKey(date, people)));
  return rows
    .filter((row) => !left.delete(toKey(row.values.statisticsDate, row.values.peopleType)))
    .map(({ row }) => ({
      row,
      field: "日期",
      zh: "该日期与人群类别已存在",
      en: "the date and people are there already",
    }));
}
