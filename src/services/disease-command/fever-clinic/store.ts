import { type Db, type Fragment, sql } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import type { ReadRows } from "#platform/workbooks/import.ts";
import { selectFields, toArray } from "#services/disease-command/record-store.ts";
import {
  equals,
  type FieldOf,
  fromDay,
  instant,
  plain,
  type RecordTable,
  toDay,
} from "#services/disease-command/record-table.ts";
import type { feverClinic } from "./contract.ts";

export const feverClinics: RecordTable<FieldOf<typeof feverClinic>> = {
  table: "disease_command.fever_clinic",
  columns: {
    statisticsDate: plain("statistics_date"),
    hospitalName: plain("hospital"),
    feverClinicCount: plain("fever_patients"),
    epidemicCount: plain("epidemic_patients"),
    updateTime: instant("updated_at"),
  },
  filters: {
    startDate: fromDay("statistics_date"),
    endDate: toDay("statistics_date"),
    hospitalName: equals("hospital"),
  },
  unique: { fever_clinic_date_hospital_key: "hospitalName" },
};

export interface FeverClinic {
  readonly statisticsDate: string;
  readonly hospitalName: string;
  readonly feverClinicCount: number;
  readonly epidemicCount: number;
}

const put = async (tx: Db, rows: Fragment): Promise<number[]> => {
  const stored = await tx<{ id: number }[]>`
    insert into disease_command.fever_clinic as known (statistics_date, hospital, fever_patients, epidemic_patients) ${rows}
    on conflict (statistics_date, hospital) do update set fever_patients = excluded.fever_patients,
      epidemic_patients = excluded.epidemic_patients, updated_at = now()
    returning id`;
  return stored.map(({ id }) => id);
};

/** Stores statistics in place of what their dates and hospitals had, the last of two; returns the ids. */
export function replaceFeverClinics(tx: Db, given: readonly FeverClinic[]): Promise<number[]> {
  const last = [...new Map(given.map((row) => [`${row.statisticsDate} ${row.hospitalName}`, row])).values()];
  return put(
    tx,
    sql`select * from unnest(${last.map((row) => row.statisticsDate)}::text[]::date[],
      ${last.map((row) => row.hospitalName)}::text[], ${last.map((row) => row.feverClinicCount)}::bigint[],
      ${last.map((row) => row.epidemicCount)}::bigint[])`,
  );
}

/** The same with the rows of a day's workbook. */
export async function replaceFromSheet(tx: Db, day: string, rows: ReadRows): Promise<number[]> {
  await rows.stage(tx, feverClinics.table, "hospital, fever_patients, epidemic_patients");
  return put(
    tx,
    sql`select distinct on (hospital) ${day}::date, hospital, fever_patients, epidemic_patients from staged
      order by hospital, row desc`,
  );
}

/** SQL for the statistics of the latest date, most fever patients first. */
export const writeLast = (settings: Settings): string =>
  toArray(`
    select ${selectFields(feverClinics, settings)} from ${feverClinics.table}
    where statistics_date = (select max(statistics_date) from ${feverClinics.table}) order by fever_patients desc, id`);
