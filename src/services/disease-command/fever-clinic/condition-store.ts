import type { Db } from "#platform/database/index.ts";

export interface SilentHospital {
  readonly hospital: string;
  /** The last day that it has told of, as yyyy-MM-dd. */
  readonly lastDay: string;
}

/** Hospitals that told of one of the `days` before a day, and not of that day or any later. @param day yyyy-MM-dd */
export const listSilentHospitals = async (db: Db, day: string, days: number): Promise<SilentHospital[]> =>
  db<SilentHospital[]>`
    select hospital, to_char(max(statistics_date), 'YYYY-MM-DD') as "lastDay" from disease_command.fever_clinic
    where statistics_date >= ${day}::date - ${days}::integer
    group by hospital having max(statistics_date) < ${day}::date order by hospital`;
