import { formatDateTime } from "#platform/contract/times.ts";
import type { HeldFiles } from "#platform/files/held-files.ts";
import type { Turns } from "#platform/jobs/turns.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { compareHandlers } from "./answers/compare-routes.ts";
import { downloadHandlers } from "./answers/download-routes.ts";
import { importHandlers } from "./answers/import-routes.ts";
import { lockHandlers } from "./answers/lock-routes.ts";
import { type ChooseMonth, monthHandlers } from "./answers/month-routes.ts";
import { peopleHandlers } from "./answers/people-routes.ts";
import { settingsHandlers } from "./answers/settings-routes.ts";
import { uploadHandlers } from "./answers/upload-routes.ts";
import type { endpoints } from "./contract.ts";
import { findLatestMonth } from "./month-store.ts";

/** What each operation of the contract does. */
export function attendanceHandlers(platform: Platform, turns: Turns, held: HeldFiles): Handlers<typeof endpoints> {
  const { clock, settings } = platform;
  const chooseMonth: ChooseMonth = async (db, month) =>
    month ?? (await findLatestMonth(db)) ?? formatDateTime(new Date(clock()), settings.TIME_ZONE).slice(0, 7);
  const place = { platform, turns };
  return {
    ...importHandlers(place),
    ...uploadHandlers(place, held),
    ...monthHandlers(platform, chooseMonth),
    ...peopleHandlers(platform, chooseMonth),
    ...lockHandlers(platform, chooseMonth),
    ...downloadHandlers(platform, chooseMonth),
    ...compareHandlers(platform),
    ...settingsHandlers(platform, chooseMonth),
  };
}
