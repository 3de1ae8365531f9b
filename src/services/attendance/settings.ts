import { keepDays } from "#platform/contract/setting-types.ts";

export const attendanceSettings = {
  shape: {
    ATTENDANCE_KEEP_CARD_DAYS: keepDays().describe(
      "Days after the end of a month that its rows have identity cards; left out, for ever, and always while it is locked",
    ),
    ATTENDANCE_KEEP_DAYS: keepDays().describe(
      "Days after its end that a month is kept that was never locked; left out, for ever",
    ),
  },
};
