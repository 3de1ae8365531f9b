import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { readBasis } from "#services/attendance/coverage-store.ts";
import { toCovered } from "#services/attendance/coverage.ts";
import { tellMonth } from "#services/attendance/import/told.ts";
import type { Units } from "#services/attendance/workbook/index.ts";
import { dayOfInstant } from "#services/attendance/local-times.ts";
import type { Notes } from "./export-notes.ts";
import type { FinishedMonth } from "./finished-month.ts";
import type { VersionRow } from "./version-store.ts";

/** What a workbook tells beside its rows. */
export interface Described {
  readonly notes: Notes;
  readonly units: Units;
}

type Now = Pick<Platform, "settings" | "clock">;

/** An open month as it is now. */
export async function describeMonth(db: Db, state: FinishedMonth, now: Now): Promise<Described> {
  const { plan } = await readBasis(db, state);
  const { month, settings } = state;
  const warnings = await tellMonth(db, state, dayOfInstant(now.clock(), now.settings.TIME_ZONE));
  return {
    notes: { month, madeAt: readTime(now), covered: toCovered(state.spans), settings, warnings },
    units: plan.units,
  };
}

/** A version, as it was when it was made. */
export function describeVersion(row: VersionRow, now: Now): Described {
  const { month, covered, settings, warnings, number, lockedBy, note, units } = row;
  const version = { number, lockTime: formatDateTime(row.lockedAt, now.settings.TIME_ZONE), lockedBy, note };
  return { notes: { month, madeAt: readTime(now), covered, settings, warnings, version }, units };
}

const readTime = ({ settings, clock }: Now): string => formatDateTime(new Date(clock()), settings.TIME_ZONE);
