import type * as z from "zod";
import { type Db, type Fragment, sql, type Statement, type Within } from "#platform/database/index.ts";
import type { Settings } from "#platform/process/config.ts";
import { maxFaults, type RowFault } from "#platform/workbooks/import-problems.ts";
import type { ReadRows } from "#platform/workbooks/import.ts";
import {
  daySpan,
  equals,
  type FieldOf,
  instant,
  plain,
  type RecordTable,
  selectFields,
  toArray,
} from "./record-store.ts";
import type { consumptionCategory, detection, feverClinic, feverClinicEndpoints } from "./statistics-contract.ts";

export const consumptionCategories: RecordTable<FieldOf<typeof consumptionCategory>> = {
  table: "disease_command.consumption_category",
  columns: { categoryName: plain("name"), value: plain("value") },
};

export const detections: RecordTable<FieldOf<typeof detection>> = {
  table: "disease_command.detection",
  columns: {
    statisticsDate: plain("statistics_date"),
    peopleType: plain("people_type"),
    detectionCount: plain("detections"),
    abnormalCount: plain("abnormal"),
    updateTime: instant("updated_at"),
  },
  filters: { ...daySpan("statistics_date"), peopleType: equals("people_type") },
  unique: { detection_date_people_key: "peopleType" },
};

const staged = "statistics_date, people_type, detections, abnormal";

/**
 * Inserts the rows. Returns up to `maxFaults` faulty rows, whose date and people type are stored already or occur
 * twice.
 */
export async function insertDetections(tx: Db, rows: ReadRows): Promise<RowFault[]> {
  await rows.stage(tx, detections.table, staged);
  const left = await tx.query<{ row: number }>(
    `with stored as (
       insert into ${detections.table} (${staged}) select ${staged} from staged order by row
       on conflict do nothing returning statistics_date, people_type)
     select row from (
       select *, row_number() over (partition by statistics_date, people_type order by row) as place from staged) as rows
       left join stored using (statistics_date, people_type)
     where stored is null or place > 1 order by row limit $1`,
    [maxFaults],
  );
  const says = { zh: "该日期与人群类别已存在", en: "figures for this date and category already exist" };
  return left.map(({ row }) => ({ row, field: "日期", ...says }));
}

export const feverClinics: RecordTable<FieldOf<typeof feverClinic>> = {
  table: "disease_command.fever_clinic",
  columns: {
    statisticsDate: plain("statistics_date"),
    hospitalName: plain("hospital"),
    feverClinicCount: plain("fever_patients"),
    epidemicCount: plain("epidemic_patients"),
    updateTime: instant("updated_at"),
  },
  filters: { ...daySpan("statistics_date"), hospitalName: equals("hospital") },
  unique: { fever_clinic_date_hospital_key: "hospitalName" },
  places: { hospitalName: "hospital" },
};

type Given = z.output<typeof feverClinicEndpoints.saveFeverClinics.body>["datas"];

const put = async (tx: Db, rows: Fragment): Promise<number[]> => {
  return tx.values<number>`
    insert into disease_command.fever_clinic as known (statistics_date, hospital, fever_patients, epidemic_patients) ${rows}
    on conflict (statistics_date, hospital) do update set fever_patients = excluded.fever_patients,
      epidemic_patients = excluded.epidemic_patients, updated_at = now()
    returning id`;
};

/**
 * Replaces the stored rows of the same date and hospital. If several rows have the same date and hospital, the last one
 * is stored.
 */
export function replaceFeverClinics(tx: Db, given: Given, within: Within): Promise<number[]> {
  for (const { hospitalName } of given) within.refuseOutside({ hospitalName });
  const last = [...new Map(given.map((row) => [`${row.statisticsDate} ${row.hospitalName}`, row])).values()];
  return put(
    tx,
    sql`select * from unnest(${last.map((row) => row.statisticsDate)}::text[]::date[],
      ${last.map((row) => row.hospitalName)}::text[], ${last.map((row) => row.feverClinicCount)}::bigint[],
      ${last.map((row) => row.epidemicCount)}::bigint[])`,
  );
}

const lastOfHospital = sql`distinct on (hospital)`;

export interface SheetRow {
  readonly hospitalName: string;
  readonly feverClinicCount: number;
  readonly epidemicCount: number;
}

export async function readSheet(tx: Db, rows: ReadRows, within: Within): Promise<SheetRow[]> {
  await stageSheet(tx, rows, within);
  return tx<SheetRow[]>`
    select ${lastOfHospital} hospital as "hospitalName", fever_patients as "feverClinicCount",
      epidemic_patients as "epidemicCount" from staged order by hospital, row desc`;
}

export async function replaceFromSheet(tx: Db, day: string, rows: ReadRows, within: Within): Promise<number[]> {
  await stageSheet(tx, rows, within);
  return put(
    tx,
    sql`select ${lastOfHospital} ${day}::date, hospital, fever_patients, epidemic_patients from staged
      order by hospital, row desc`,
  );
}

async function stageSheet(tx: Db, rows: ReadRows, within: Within): Promise<void> {
  await rows.stage(tx, feverClinics.table, "hospital, fever_patients, epidemic_patients");
  if (!within.isEverywhere)
    for (const hospitalName of await tx.values<string>`select distinct hospital from staged`)
      within.refuseOutside({ hospitalName });
}

export const listDays = (db: Db, ids: readonly number[], within: Within): Promise<string[]> =>
  db.values<string>`
    select to_char(statistics_date, 'YYYY-MM-DD') from disease_command.fever_clinic
    where id = any(${ids}) ${within.and(feverClinics.places ?? {})} for update`;

export function writeLast(settings: Settings, statement: Pick<Statement, "value">, within: Within): string {
  const own = () => within.list(statement, feverClinics.places ?? {});
  const seen = own();
  return toArray(`
    select ${selectFields(feverClinics, settings)} from ${feverClinics.table}
    where statistics_date = (select max(statistics_date) from ${feverClinics.table} ${seen.length > 0 ? `where ${seen.join(" and ")}` : ""})
      ${own()
        .map((condition) => `and ${condition}`)
        .join(" ")}
    order by fever_patients desc, id`);
}

/**
 * Lists hospitals that reported in the `days` days before the day, but neither on that day nor later.
 * @param day yyyy-MM-dd
 */
export const listSilentHospitals = async (db: Db, day: string, days: number) =>
  db<{ hospital: string; lastDay: string }[]>`
    select hospital, to_char(max(statistics_date), 'YYYY-MM-DD') as "lastDay" from disease_command.fever_clinic
    where statistics_date >= ${day}::date - ${days}::integer
    group by hospital having max(statistics_date) < ${day}::date order by hospital`;
