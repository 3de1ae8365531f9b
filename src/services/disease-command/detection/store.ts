import type { Db } from "#platform/database/index.ts";
import { mostFaults, type RowFault } from "#platform/workbooks/import-problems.ts";
import type { ReadRows } from "#platform/workbooks/import.ts";
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

const staged = "statistics_date, people_type, detections, abnormal";

export const stageDetections = (tx: Db, rows: ReadRows): Promise<void> => rows.stage(tx, detections.table, staged);

/** Stores the staged rows; returns the first of those whose date and people are there already, or twice in the sheet. */
export async function insertStaged(tx: Db): Promise<RowFault[]> {
  const left = await tx.query<{ row: number }>(
    `with stored as (
       insert into ${detections.table} (${staged}) select ${staged} from staged order by row
       on conflict do nothing returning statistics_date, people_type)
     select row from (
       select *, row_number() over (partition by statistics_date, people_type order by row) as place from staged) as rows
       left join stored using (statistics_date, people_type)
     where stored is null or place > 1 order by row limit $1`,
    [mostFaults],
  );
  return left.map(({ row }) => ({
    row,
    field: "日期",
    zh: "该日期与人群类别已存在",
    en: "the date and people are there already",
  }));
}
