import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { endpoints } from "#services/attendance/contract.ts";
import { dayOfInstant } from "#services/attendance/local-times.ts";
import { lockMonth, unlockMonth } from "./lock.ts";
import type { ChooseMonth } from "./month-routes.ts";
import { listVersions } from "./version-store.ts";
import { toVersion } from "./wire-rows.ts";

type Locks = Pick<Handlers<typeof endpoints>, "lock" | "unlock" | "listVersions">;

export function lockHandlers({ settings, clock }: Platform, chooseMonth: ChooseMonth): Locks {
  const zone = settings.TIME_ZONE;
  return {
    lock: async ({ db, body, caller, audit }) => {
      const { month, note = "" } = body;
      audit.records.push(month);
      const id = await lockMonth(db, { month, note, by: caller.userName, today: dayOfInstant(clock(), zone) });
      audit.detail = { version: id, note };
      return String(id);
    },

    unlock: async ({ db, body, caller, audit }) => {
      const { month, reason } = body;
      audit.records.push(month);
      audit.detail = { version: await unlockMonth(db, month, reason, caller.userName), reason };
      return "1";
    },

    listVersions: async ({ db, query, language }) =>
      (await listVersions(db, await chooseMonth(db, query.month))).map((row) => toVersion(row, zone, language)),
  };
}
