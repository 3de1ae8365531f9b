import { keepDays } from "#platform/contract/setting-types.ts";

export const reportingSettings = {
  shape: {
    REPORTING_KEEP_DAYS: keepDays().describe(
      "Days after its last change that a closed or deleted report is kept, with its files; left out, for ever",
    ),
  },
};
