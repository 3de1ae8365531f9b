import { explain } from "#platform/contract/problem.ts";
import { type Db, inSnapshot } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { startAnalysis } from "#services/attendance/analysis/analyse.ts";
import { titleRow } from "#services/attendance/analysis/analysis.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { toCovered } from "#services/attendance/coverage.ts";
import { tellMonth } from "#services/attendance/import/told.ts";
import { dayOfInstant } from "#services/attendance/local-times.ts";
import { countAnalysed, findMonth, listMonths, type MonthState } from "#services/attendance/month-store.ts";
import { explainEmployee } from "./explain-employee.ts";
import { getFinished } from "./finished-month.ts";
import { findVersion, listLocked } from "./version-store.ts";
import { toLocked, toMonth, toStatus, toWaring } from "./wire-rows.ts";

/** The month that is meant: the one that was asked for, or else the latest. */
export type ChooseMonth = (db: Db, month: string | undefined) => Promise<string>;

type Months = Pick<
  Handlers<typeof endpoints>,
  "analyse" | "findStatus" | "testService" | "findTitle" | "listMonths" | "explain"
>;

export function monthHandlers({ pool, settings, clock }: Platform, chooseMonth: ChooseMonth): Months {
  const zone = settings.TIME_ZONE;

  return {
    analyse: async ({ db, query, transact, audit }) => {
      const month = await chooseMonth(db, query.month);
      audit.records.push(month);
      await transact(async (tx) => {
        await startAnalysis(tx, month);
        return month;
      });
      return readStatus(db, month);
    },

    // Of one state: read at several times, a month that fails in between would answer 3 with the warnings of before.
    findStatus: async ({ query, language }) =>
      inSnapshot(pool, async (db) => {
        const month = await chooseMonth(db, query.month);
        const state = await findMonth(db, month);
        const told = state ? await tellMonth(db, state, dayOfInstant(clock(), zone)) : [];
        const version = state?.version ? await findVersion(db, state.version) : undefined;
        return {
          ...(await countStatus(db, month, state)),
          waring: toWaring(told, language),
          covered: toCovered(state?.spans ?? []),
          locked: toLocked(version, zone),
        };
      }),

    testService: async () => "",

    findTitle: async ({ db, query }) => titleRow(await chooseMonth(db, query.month)),

    listMonths: async () =>
      inSnapshot(pool, async (db) => {
        const locked = await listLocked(db);
        return (await listMonths(db)).map((row) => toMonth(row, locked.get(row.month), zone));
      }),

    explain: async ({ query, language }) => {
      const { userId, workNum: workNumber, name, groupOfCheck: group } = query;
      if (userId === undefined && workNumber === undefined && name === undefined)
        throw explain("badFormat", "userId: 不能为空", "userId: is missing");
      return inSnapshot(pool, async (db) => {
        const state = await getFinished(db, await chooseMonth(db, query.month));
        return explainEmployee(db, state, { userId, workNumber, name, group }, language);
      });
    },
  };
}

const readStatus = async (db: Db, month: string) => countStatus(db, month, await findMonth(db, month));

const countStatus = async (db: Db, month: string, state: MonthState | undefined) =>
  toStatus(month, state, state ? await countAnalysed(db, state.run) : 0);
