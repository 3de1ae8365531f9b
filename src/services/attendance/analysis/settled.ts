import type { Person } from "#services/attendance/model.ts";

/** Whom somebody settled a person of a sheet as: the employee with that UserId, or nobody where it is "". */
export interface Decision {
  readonly userId: string;
  /** Of the employee, where several have the UserId; "" where it does not matter. */
  readonly group: string;
}

/** What was settled of a sheet's people, by `toPersonKey`. */
export type Settled = ReadonlyMap<string, Decision>;

/** The same person of a sheet, whichever import brings them. */
export const toPersonKey = ({ name, userId, workNumber }: Person): string => JSON.stringify([name, userId, workNumber]);
