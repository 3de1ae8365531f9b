import { explain } from "#platform/contract/problem.ts";
import type { Db, Within } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";
import { listDays } from "./statistics-store.ts";

/**
 * Accounts with a scope, such as those of hospitals, may only enter the figures of today and yesterday, since older
 * figures have been reported to others.
 */
export function keepDays({ clock, settings }: Pick<Platform, "clock" | "settings">) {
  const refuseOtherDays = (within: Within, ...days: readonly string[]): void => {
    const today = Temporal.Instant.fromEpochMilliseconds(clock()).toZonedDateTimeISO(settings.TIME_ZONE).toPlainDate();
    const yesterday = today.subtract({ days: 1 });
    if (!within.isEverywhere && days.some((day) => day < yesterday.toString() || day > today.toString()))
      throw explain(
        "forbidden",
        "只能填报或修改今天和昨天的数据",
        "only the figures of today and yesterday can be entered or changed",
      );
  };
  return {
    refuseOtherDays,
    refuseOtherRecords: async (db: Db, within: Within, ids: readonly number[]): Promise<void> => {
      if (!within.isEverywhere) refuseOtherDays(within, ...(await listDays(db, ids, within)));
    },
  };
}
