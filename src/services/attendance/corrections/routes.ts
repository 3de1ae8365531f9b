import type * as z from "zod";
import { toPage } from "#platform/contract/envelope.ts";
import { explain, found, Problem } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Db } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { analyseAgain } from "#services/attendance/analysis/analyse.ts";
import { numberOf } from "#services/attendance/days.ts";
import { holdMonth, type MonthState, refuseLocked } from "#services/attendance/month-store.ts";
import type { Correction } from "#services/attendance/model.ts";
import type { AttendancePlatform } from "#services/attendance/settings.ts";
import { dayNumbered, getMember, type Member } from "#services/attendance/whose.ts";
import type { correctionEndpoints, correctionOrder, correctionRecord } from "./contract.ts";
import {
  type CorrectionRow,
  findCorrection,
  insertCorrection,
  listCorrected,
  isCorrected,
  listCorrections,
  type NewCorrection,
  undoCorrection,
} from "./store.ts";

export const correctionHandlers = ({ settings }: AttendancePlatform): Handlers<typeof correctionEndpoints> => ({
  listCorrections: async ({ db, query, within }) => {
    const { rows, totalCount } = await listCorrections(db, query, within, toRange(query));
    return toPage(
      rows.map((row) => toCorrection(row, settings.TIME_ZONE)),
      totalCount,
      query,
    );
  },

  correct: async ({ db, body, within, caller, audit }) => {
    const { month, day, correction, evidence, ...asked } = body;
    const state = await holdChangeable(db, month);
    const member = await getMember(db, month, within, asked);
    const made = { evidence, objection: null, madeBy: caller.userName };
    const id = await addCorrection(db, state, member, {
      ...toOrdered(correction),
      ...made,
      day: dayNumbered(state, day),
    });
    audit.records = [id];
    audit.detail = { month, userId: member.userId, day };
    return String(id);
  },

  undoCorrection: async ({ db, body, within, caller, audit }) => {
    const { id, reason } = body;
    if (id === undefined) throw new Problem("idMissing");
    const correction = found(await findCorrection(db, id, within));
    const state = await holdChangeable(db, correction.month);
    if (!(await undoCorrection(db, id, reason, caller.userName)))
      throw explain("notAllowedNow", "该更正已撤销", "the correction has already been undone");
    for (const { employee } of await listCorrected(db, correction)) await analyseAgain(db, state, employee);
    audit.records = [id];
    audit.detail = { reason };
    return "1";
  },
});

/**
 * Locks the month's row in the database until the transaction ends, since results of the month will change.
 * @throws {Problem} notFound if the month does not exist; notAllowedNow if an administrator has locked the month, or
 * while an analysis is running, which may have read the day already
 */
export async function holdChangeable(tx: Db, month: string): Promise<MonthState> {
  const state = await holdMonth(tx, month);
  if (!state) throw explain("notFound", `${month} 没有任何数据`, `there is no data for ${month}`);
  refuseLocked(state);
  if (state.statu === 1)
    throw explain(
      "notAllowedNow",
      `${month} 正在分析，请稍后再试`,
      `${month} is being analysed; try again in a moment`,
    );
  return state;
}

/**
 * Adds a correction. The caller must have locked the month with `holdChangeable`.
 * @throws {Problem} alreadyExists if the day has a correction
 */
export async function addCorrection(tx: Db, state: MonthState, member: Member, given: Omit<NewCorrection, "month">) {
  if (await isCorrected(tx, state.month, member, given.day))
    throw explain("alreadyExists", "当天已有更正，请先撤销", "the day already has a correction; undo it first");
  const id = await insertCorrection(tx, member, { ...given, month: state.month });
  await analyseAgain(tx, state, member.employee);
  return id;
}

export const toOrdered = (order: z.output<typeof correctionOrder>): Pick<Correction, "kind" | "campus" | "hours"> => ({
  kind: order.kind,
  campus: order.campus ?? null,
  hours: order.hours ?? null,
});

const toCorrection = (row: CorrectionRow, zone: string): z.input<typeof correctionRecord> => {
  const { workNumber, group, name, day, kind, campus, hours, madeAt, undoneAt, ...rest } = row;
  return {
    ...rest,
    workNum: workNumber,
    groupOfCheck: group,
    workName: name,
    day: numberOf(day),
    correction: { kind, campus, hours },
    makeTime: formatDateTime(madeAt, zone),
    undoTime: undoneAt && formatDateTime(undoneAt, zone),
  };
};
