import { toPage } from "#platform/contract/envelope.ts";
import { Problem } from "#platform/contract/problem.ts";
import { toRange } from "#platform/contract/sorting.ts";
import { type Db, inSnapshot } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { searchRoster } from "#services/attendance/analysis/roster-store.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { findMonth, type MonthState } from "#services/attendance/month-store.ts";
import { settlePerson } from "./match.ts";
import type { ChooseMonth } from "./month-routes.ts";
import { listUnmatched } from "./unmatched.ts";
import { toEmployee } from "./wire-rows.ts";

type People = Pick<Handlers<typeof endpoints>, "listUnmatched" | "listEmployees" | "match">;

export function peopleHandlers({ pool, settings }: Platform, chooseMonth: ChooseMonth): People {
  return {
    listUnmatched: async ({ query }) =>
      inSnapshot(pool, async (db) =>
        listUnmatched(db, await getMonth(db, await chooseMonth(db, query.month)), settings.TIME_ZONE),
      ),

    listEmployees: async ({ query }) =>
      inSnapshot(pool, async (db) => {
        const { month } = await getMonth(db, await chooseMonth(db, query.month));
        const { rows, totalCount } = await searchRoster(db, month, { keyword: query.keyword ?? "", ...toRange(query) });
        return toPage(rows.map(toEmployee), totalCount, query);
      }),

    match: async ({ db, body, caller, audit }) => {
      const { month, sheet, userId, groupOfCheck: group = "" } = body;
      const { userId: own = "", workNum: workNumber = "", name } = body.person;
      audit.records.push(month);
      audit.detail = { sheet, name, userId: own, workNum: workNumber, as: userId };
      const person = { name, userId: own, workNumber };
      const decision = userId === null ? null : { userId, group };
      return (await settlePerson(db, { month, sheet, person, decision, by: caller.userName })) ? "1" : "0";
    },
  };
}

async function getMonth(db: Db, month: string): Promise<MonthState> {
  const state = await findMonth(db, month);
  if (!state) throw new Problem("notFound");
  return state;
}
