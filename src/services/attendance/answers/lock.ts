import { explain, Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { readBasis } from "#services/attendance/coverage-store.ts";
import { toCovered } from "#services/attendance/coverage.ts";
import { tellMonth } from "#services/attendance/import/told.ts";
import type { Day } from "#services/attendance/model.ts";
import { holdMonth, refuseLocked } from "#services/attendance/month-store.ts";
import { requireFinished } from "./finished-month.ts";
import { closeVersion, insertVersion } from "./version-store.ts";

// A finished month can be locked (A20): then neither imports nor analyses nor matches change it, until it is unlocked.

export interface LockOrder {
  readonly month: string;
  readonly note: string;
  readonly by: string;
  readonly today: Day;
}

/**
 * Locks a month and keeps its rows as a version, whose id is returned.
 * @throws {Problem} notFound while it is not finished, notAllowedNow where it is locked.
 */
export async function lockMonth(tx: Db, { month, note, by, today }: LockOrder): Promise<number> {
  const state = requireFinished(month, await holdMonth(tx, month));
  refuseLocked(state);
  const { plan } = await readBasis(tx, state);
  return insertVersion(tx, {
    month,
    note,
    settings: state.settings,
    units: plan.units,
    covered: toCovered(state.spans),
    warnings: await tellMonth(tx, state, today),
    lockedBy: by,
  });
}

/** @throws {Problem} notFound for an unknown month, notAllowedNow where it is not locked. */
export async function unlockMonth(tx: Db, month: string, reason: string, by: string): Promise<number> {
  const state = await holdMonth(tx, month);
  if (!state) throw new Problem("notFound");
  if (state.version === null) throw explain("notAllowedNow", `${month} 没有锁定`, `${month} is not locked`);
  await closeVersion(tx, state.version, reason, by);
  return state.version;
}
