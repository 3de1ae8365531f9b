import * as z from "zod";
import { provingWays } from "#platform/contract/proven-contract.ts";
import { keepDays, oneOf, provingSecret, reviewProof, wholeNumber } from "#platform/contract/setting-types.ts";
import type { Platform } from "#platform/process/platform.ts";

const shape = {
  EMPLOYEE_IDENTITY: oneOf(["off", ...provingWays], "off").describe(
    "How an employee's employee_no is proved: header (a gateway in front sets it), signed (employee_time and employee_sign), campus (employee_token) or demo (not at all: on a loopback HOST and without a proxy only); off: employees are not served",
  ),
  EMPLOYEE_IDENTITY_SECRET: provingSecret()
    .optional()
    .meta({ description: "Shared secret of EMPLOYEE_IDENTITY=signed", secret: true }),
  ATTENDANCE_PERIOD_START: wholeNumber(1, 28, 1).describe(
    "First day of an attendance month: 1 for calendar months, else that day of the month before (26: 2026-05 is 26 April to 25 May)",
  ),
  ATTENDANCE_KEEP_CARD_DAYS: keepDays().describe(
    "Days that a month's rows keep identity cards after the month's end, unless it is locked; default: forever",
  ),
  ATTENDANCE_KEEP_DAYS: keepDays().describe(
    "Days that a month is kept after its end, unless it was ever locked; default: forever",
  ),
};

export type AttendanceSettings = z.output<z.ZodObject<typeof shape>>;
export type AttendancePlatform = Platform<AttendanceSettings>;

export const attendanceSettings = {
  shape,
  check(settings: AttendancePlatform["settings"], context: z.RefinementCtx): void {
    const { EMPLOYEE_IDENTITY: way, EMPLOYEE_IDENTITY_SECRET: secret, CAMPUS_APP_KEY: campusKey } = settings;
    reviewProof("EMPLOYEE_IDENTITY", { way, secret, campusKey }, context);
  },
};
