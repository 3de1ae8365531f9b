import { explain } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { undoAnalysis } from "#services/attendance/analysis/analysis-store.ts";
import { findByUserId } from "#services/attendance/analysis/roster-store.ts";
import {
  findSettled,
  hasPerson,
  removeSettled,
  saveSettled,
  type SettledSheet,
} from "#services/attendance/analysis/settled-store.ts";
import type { Decision } from "#services/attendance/analysis/people.ts";
import { recompose } from "#services/attendance/import/swap-month.ts";
import type { Person } from "#services/attendance/model.ts";
import { holdMonth, type MonthState, refuseLocked } from "#services/attendance/month-store.ts";
import { severalAreMeant } from "./explain-employee.ts";

// Whom the rules find nobody for, a person settles (A21).

export interface MatchOrder {
  readonly month: string;
  readonly sheet: SettledSheet;
  readonly person: Person;
  /** Null undoes what was settled. */
  readonly decision: Decision | null;
  readonly by: string;
}

/**
 * Settles a person of a sheet of the month as an employee of it or as nobody. The month must be analysed again then.
 * @returns whether that is anything new
 * @throws {Problem} notFound without such a month, person or employee; notAllowedNow for a locked month, for a userId of
 * several employees, and for somebody who is that employee's own row.
 */
export async function settlePerson(tx: Db, order: MatchOrder): Promise<boolean> {
  const { month, sheet, person, decision, by } = order;
  const state = await holdMonth(tx, month);
  if (!state) throw explain("notFound", `${month} 没有任何数据`, `there is nothing of ${month}`);
  refuseLocked(state);
  const before = await findSettled(tx, sheet, person);
  if (decision) await checkDecision(tx, state, order, decision);
  else if (!before) throw explain("notFound", "该人员未曾手工对应", "nothing was settled of that person");
  if (decision && before?.userId === decision.userId && before.group === decision.group) return false;
  if (decision) await saveSettled(tx, sheet, person, decision, by);
  else await removeSettled(tx, sheet, person);
  await undoAnalysis(tx, month);
  await recompose(tx, month, sheet === "month");
  return true;
}

async function checkDecision(
  tx: Db,
  state: MonthState,
  { month, sheet, person }: MatchOrder,
  { userId, group }: Decision,
): Promise<void> {
  if (!(await hasPerson(tx, state, sheet, person)))
    throw explain("notFound", "该表中没有这个人", "the sheet has no such person");
  if (userId === "") return;
  const found = await findByUserId(tx, month, userId, group);
  const [employee, another] = found;
  if (!employee)
    throw explain(
      "notFound",
      `${month} 没有 UserId 为 ${userId} 的员工`,
      `no employee of ${month} has the userId ${userId}`,
    );
  if (another) throw severalAreMeant(found.map((each) => each.group));
  if (sheet === "month" && person.userId === userId)
    throw explain("notAllowedNow", "这就是该员工本人的行", "that is the employee's own row");
}
