import * as z from "zod";
import { keepDays, wholeNumber } from "#platform/contract/setting-types.ts";
import type { Platform } from "#platform/process/platform.ts";

const shape = {
  ATTENDANCE_PERIOD_START: wholeNumber(1, 28, 1).describe(
    "Day on which the period of a month begins: 1 for calendar months, else that day of the month before (26: 2026-05 is 26 April to 25 May)",
  ),
  ATTENDANCE_KEEP_CARD_DAYS: keepDays().describe(
    "Days after the end of a month that its rows have identity cards; left out, for ever, and always while it is locked",
  ),
  ATTENDANCE_KEEP_DAYS: keepDays().describe(
    "Days after its end that a month is kept that was never locked; left out, for ever",
  ),
};

/** The service's own settings. */
export type AttendanceSettings = z.output<z.ZodObject<typeof shape>>;
export type AttendancePlatform = Platform<AttendanceSettings>;

export const attendanceSettings = { shape };
